package dev.meshguard.closeables.weave.loaded;

/** Has the closing method of {@link PluginHandle}. */
public class BasicHandle {

    public void close() {}
}
