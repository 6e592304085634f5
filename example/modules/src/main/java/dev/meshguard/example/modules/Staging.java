package dev.meshguard.example.modules;

/** Memory of the user's own that must be closed. */
final class Staging implements AutoCloseable {

    @Override
    public void close() {}
}
