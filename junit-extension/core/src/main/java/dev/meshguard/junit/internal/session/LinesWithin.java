package dev.meshguard.junit.internal.session;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Forwards whole lines up to a number of bytes, and then stops the writer with an exception.
 *
 * <p>Not safe for use by several threads.
 */
final class LinesWithin extends OutputStream {

    /** Thrown when the next line would exceed the limit. */
    static final class FullException extends IOException {
        private static final long serialVersionUID = 1L;

        private FullException(long mostBytes) {
            super("No more than " + mostBytes + " bytes");
        }
    }

    private final OutputStream target;
    private final long mostBytes;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long bytes;

    LinesWithin(OutputStream target, long mostBytes) {
        this.target = target;
        this.mostBytes = mostBytes;
    }

    @Override
    public void write(int next) throws IOException {
        bytes++;
        if (bytes > mostBytes) {
            throw new FullException(mostBytes);
        }
        line.write(next);
        if (next == '\n') {
            line.writeTo(target);
            line.reset();
        }
    }
}
