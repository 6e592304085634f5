package dev.meshguard.junit.internal.session;

import java.io.IOException;
import java.io.Writer;

/**
 * Forwards whole lines up to a number of bytes, and then stops the writer with an exception.
 *
 * <p>Not safe for use by several threads.
 */
final class LinesWithin extends Writer {

    /** Thrown when the next line would exceed the limit. */
    static final class FullException extends IOException {
        private static final long serialVersionUID = 1L;

        private FullException(long mostBytes) {
            super("No more than " + mostBytes + " bytes");
        }
    }

    private final Writer target;
    private final long mostBytes;
    private final StringBuilder line = new StringBuilder();
    private long lineBytes;
    private long bytes;

    LinesWithin(Writer target, long mostBytes) {
        this.target = target;
        this.mostBytes = mostBytes;
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        for (int index = offset; index < offset + length; index++) {
            char character = characters[index];
            lineBytes += inUtf8(character);
            if (bytes + lineBytes > mostBytes) {
                throw new FullException(mostBytes);
            }
            line.append(character);
            if (character == '\n') {
                target.append(line);
                bytes += lineBytes;
                line.setLength(0);
                lineBytes = 0;
            }
        }
    }

    /** Half of a character beyond the first plane counts two bytes, so both count four. */
    private static int inUtf8(char character) {
        return character < 0x80 ? 1 : character < 0x800 || Character.isSurrogate(character) ? 2 : 3;
    }

    /** Only whole lines are forwarded, so there is nothing to do. */
    @Override
    public void flush() {}

    /** The caller that opened the target closes it. */
    @Override
    public void close() {}
}
