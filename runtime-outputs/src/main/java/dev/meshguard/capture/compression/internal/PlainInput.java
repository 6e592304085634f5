package dev.meshguard.capture.compression.internal;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.ZipException;

/**
 * A file without its compression, which its first bytes show: gzip or none.
 *
 * @param stream the content; damaged compressed data is an {@link EOFException} or a {@link ZipException}
 * @param isCompressed whether the file is compressed
 * @param damage the reason why nothing could be decompressed, if nothing could
 */
public record PlainInput(InputStream stream, boolean isCompressed, Optional<String> damage) {

    /** The damage of compressed data that could be decompressed up to some byte. */
    public static final String BROKEN = "the compressed data breaks off or is spoilt";

    private static final int BLOCK = 1 << 16;
    private static final int GZIP_BLOCK = 1 << 13;
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};

    /** Starts reading. */
    public static PlainInput of(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, BLOCK);
        in.mark(GZIP.length);
        boolean isCompressed = Arrays.equals(in.readNBytes(GZIP.length), GZIP);
        in.reset();
        if (!isCompressed) {
            return new PlainInput(in, false, Optional.empty());
        }
        try {
            return new PlainInput(new GzipInput(in, GZIP_BLOCK), true, Optional.empty());
        } catch (EOFException | ZipException e) {
            return new PlainInput(
                    InputStream.nullInputStream(),
                    true,
                    Optional.of("its first bytes are those of gzip, and what follows is not"));
        }
    }
}
