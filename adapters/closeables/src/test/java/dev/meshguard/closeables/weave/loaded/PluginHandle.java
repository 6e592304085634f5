package dev.meshguard.closeables.weave.loaded;

/** A class that can be closed. */
public class PluginHandle extends BasicHandle implements AutoCloseable {}
