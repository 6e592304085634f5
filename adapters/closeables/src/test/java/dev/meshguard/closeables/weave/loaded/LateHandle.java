package dev.meshguard.closeables.weave.loaded;

/** A subclass whose superclass is loaded after it. */
public class LateHandle extends PluginHandle {

    @Override
    public void close() {
        super.close();
        throw new IllegalStateException("late");
    }
}
