package dev.meshguard.capture.compression.internal;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Decompresses gzip, all members of a file one after the other (RFC 1952).
 *
 * <p>{@link GZIPInputStream} treats unreadable data after the first member as the end, and a pause of a pipe too. This class
 * fails if a later member is damaged or any other data follows.
 */
final class GzipInput extends GZIPInputStream {

    private static final int TRAILER = 8;

    private final CountedInput file;
    private long countAtFill;

    GzipInput(InputStream in, int bufferSize) throws IOException {
        this(new CountedInput(in), bufferSize);
    }

    private GzipInput(CountedInput file, int bufferSize) throws IOException {
        super(file, bufferSize);
        this.file = file;
    }

    @Override
    protected void fill() throws IOException {
        super.fill();
        countAtFill = file.count;
    }

    @Override
    public int read(byte[] target, int from, int most) throws IOException {
        int read = super.read(target, from, most);
        if (read < 0) {
            int inBuffer = inf.getRemaining();
            long afterIt = file.count - countAtFill;
            if (inBuffer + afterIt > TRAILER) {
                throw new ZipException("What follows is no member");
            }
        }
        return read;
    }

    /** Of text, a reader hands out what it has before it reads on, and so before data that cannot be read. */
    @Override
    public int available() {
        return 0;
    }

    /** Counts the bytes that were read. It calls more bytes available, because only then another member is looked for. */
    private static final class CountedInput extends FilterInputStream {
        private long count;

        private CountedInput(InputStream file) {
            super(file);
        }

        @Override
        public int read() throws IOException {
            int one = super.read();
            count += one < 0 ? 0 : 1;
            return one;
        }

        @Override
        public int read(byte[] target, int from, int most) throws IOException {
            int some = super.read(target, from, most);
            count += Math.max(0, some);
            return some;
        }

        @Override
        public int available() {
            return 1;
        }
    }
}
