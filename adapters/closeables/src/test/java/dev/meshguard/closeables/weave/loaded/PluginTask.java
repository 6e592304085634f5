package dev.meshguard.closeables.weave.loaded;

/** Runs in a class loader of its own, which sees this package and the JDK. */
public final class PluginTask implements Runnable {

    @Override
    public void run() {
        new LateHandle().close();
    }
}
