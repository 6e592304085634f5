package dev.meshguard.junit.internal.thread;

/**
 * A method that runs tests, by its names, which keep no class loader.
 *
 * @param type the binary name of the class that declares it
 * @param name its name
 */
public record TestMethod(String type, String name) {}
