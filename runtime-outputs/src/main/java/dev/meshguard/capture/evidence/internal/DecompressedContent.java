package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.compression.internal.DecompressedInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.ZipException;

/** The bytes of a file after decompression, up to a limit and as far as they can be read. */
public final class DecompressedContent {

    private static final int BLOCK = 1 << 10;
    private static final int BEGINNING = 1 << 13;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Optional<String> damage = Optional.empty();

    /**
     * Reads a file.
     *
     * @param most the number of bytes after which the rest is left out
     */
    public DecompressedContent(InputStream file, int most) throws IOException {
        byte[] block = new byte[BLOCK];
        try {
            InputStream plain = DecompressedInput.of(file);
            int length = plain.read(block);
            while (length >= 0 && bytes.size() < most) {
                bytes.write(block, 0, length);
                length = plain.read(block);
            }
            if (length >= 0) {
                damage = Optional.of("only the first " + bytes.size() + " bytes are used");
            }
        } catch (EOFException | ZipException e) {
            damage = Optional.of(DecompressedInput.BROKEN + " after byte " + bytes.size());
        }
    }

    /** Reads the first bytes of a file from a stream that supports marks, which is at its beginning again afterwards. */
    public static DecompressedContent beginning(InputStream file) throws IOException {
        file.mark(BEGINNING);
        byte[] bytes = file.readNBytes(BEGINNING);
        file.reset();
        return new DecompressedContent(new ByteArrayInputStream(bytes), BEGINNING);
    }

    /** Returns the bytes that could be read. */
    public byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Returns the bytes as text in UTF-8. */
    public String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns why the bytes are not all, if they are not. */
    public Optional<String> damage() {
        return damage;
    }
}
