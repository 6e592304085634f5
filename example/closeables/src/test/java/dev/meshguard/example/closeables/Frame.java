package dev.meshguard.example.closeables;

/** A handle of native memory that reports nothing when it is closed. */
final class Frame implements AutoCloseable {

    private boolean isClosed;

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
