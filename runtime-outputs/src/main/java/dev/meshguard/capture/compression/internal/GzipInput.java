package dev.meshguard.capture.compression.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses gzip, all members of a file one after the other (RFC 1952).
 *
 * <p>{@link java.util.zip.GZIPInputStream} treats unreadable data after the first member as the end. This class fails
 * if a later member is damaged or any other data follows.
 */
final class GzipInput extends InputStream {

    private static final int DEFLATE = 8;
    private static final int HEADER_CHECKSUM = 1 << 1;
    private static final int EXTRA = 1 << 2;
    private static final int NAME = 1 << 3;
    private static final int COMMENT = 1 << 4;
    private static final int RESERVED = 0xe0;
    private static final int TIME_AND_SYSTEM = 6;

    private final InputStream in;
    private final byte[] buffer;
    private final byte[] one = new byte[1];
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private int at;
    private int end;
    private boolean isInMember;

    /**
     * Starts decompressing.
     *
     * @throws ZipException if the first member has no valid header
     * @throws EOFException if its header is truncated
     */
    GzipInput(InputStream in, int bufferSize) throws IOException {
        this.in = in;
        this.buffer = new byte[bufferSize];
        isInMember = beginMember();
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int most) throws IOException {
        if (most == 0) {
            return 0;
        }
        while (isInMember) {
            int read = inflate(target, from, most);
            if (read > 0) {
                checksum.update(target, from, read);
                return read;
            }
            if (inflater.finished()) {
                endMember();
                isInMember = beginMember();
            } else if (inflater.needsDictionary()) {
                throw new ZipException("A dictionary is needed");
            } else if (!fill()) {
                throw new EOFException("The data of a member breaks off");
            } else {
                inflater.setInput(buffer, at, end - at);
            }
        }
        return -1;
    }

    private int inflate(byte[] target, int from, int most) throws ZipException {
        try {
            int read = inflater.inflate(target, from, most);
            at = end - inflater.getRemaining();
            return read;
        } catch (DataFormatException e) {
            ZipException spoilt = new ZipException(e.getMessage());
            spoilt.initCause(e);
            throw spoilt;
        }
    }

    /** Returns whether there is another member. */
    private boolean beginMember() throws IOException {
        if (at == end && !fill()) {
            return false;
        }
        if (next() != 0x1f || next() != 0x8b || next() != DEFLATE) {
            throw new ZipException("What follows is no member");
        }
        int flags = next();
        if ((flags & RESERVED) != 0) {
            throw new ZipException("Unknown flags");
        }
        skip(TIME_AND_SYSTEM);
        if ((flags & EXTRA) != 0) {
            skip(next() | next() << 8);
        }
        skipText((flags & NAME) != 0);
        skipText((flags & COMMENT) != 0);
        skip((flags & HEADER_CHECKSUM) != 0 ? 2 : 0);
        inflater.reset();
        inflater.setInput(buffer, at, end - at);
        checksum.reset();
        return true;
    }

    private void endMember() throws IOException {
        if (number() != checksum.getValue() || number() != (inflater.getBytesWritten() & 0xffff_ffffL)) {
            throw new ZipException("The checksum or the length of a member is another one");
        }
    }

    private long number() throws IOException {
        return next() | next() << 8 | next() << 16 | (long) next() << 24;
    }

    private void skip(int bytes) throws IOException {
        for (int i = 0; i < bytes; i++) {
            next();
        }
    }

    private void skipText(boolean isThere) throws IOException {
        int character = isThere ? next() : 0;
        while (character != 0) {
            character = next();
        }
    }

    private int next() throws IOException {
        if (at == end && !fill()) {
            throw new EOFException("A member breaks off");
        }
        return buffer[at++] & 0xff;
    }

    private boolean fill() throws IOException {
        int read = in.read(buffer, 0, buffer.length);
        at = 0;
        end = Math.max(0, read);
        return read > 0;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
