package dev.meshguard.capture.compression.internal;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.zip.ZipException;

/**
 * A file without its compression, which its first bytes show: gzip, zstd or none.
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
    private static final int[] GZIP = {0x1f, 0x8b};
    private static final int[] ZSTD = {0x28, 0xb5, 0x2f, 0xfd};

    /**
     * Starts reading.
     *
     * @throws UnreadableCompressionException if it is compressed with zstd, and the library for it is missing
     */
    public static PlainInput of(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, BLOCK);
        if (startsWith(in, ZSTD)) {
            return new PlainInput(decompressed(in), true, Optional.empty());
        }
        if (!startsWith(in, GZIP)) {
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

    private static InputStream decompressed(InputStream zstd) throws IOException {
        try {
            return ZstdInput.open(zstd);
        } catch (LinkageError e) {
            throw new UnreadableCompressionException("zstd", "com.github.luben:zstd-jni");
        }
    }

    private static boolean startsWith(BufferedInputStream in, int... magic) throws IOException {
        in.mark(magic.length);
        try {
            for (int expected : magic) {
                if (in.read() != expected) {
                    return false;
                }
            }
            return true;
        } finally {
            in.reset();
        }
    }
}
