package dev.meshguard.closeables.weave.loaded;

/** An interface that a lambda expression can implement. */
public interface Closer extends AutoCloseable {}
