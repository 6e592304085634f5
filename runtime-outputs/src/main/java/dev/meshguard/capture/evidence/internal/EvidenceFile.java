package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.ZipException;

/** A file of evidence, whose first bytes show what it is. */
public final class EvidenceFile {

    private static final int COMPRESSED_BEGINNING = 1 << 13;
    private static final int BLOCK = 1 << 10;
    private static final int MAX_BYTES = 1 << 24;

    /**
     * What could be read of a file.
     *
     * @param bytes its bytes without compression
     * @param damage why these are not all, if they are not
     */
    private record Content(byte[] bytes, Optional<String> damage) {

        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private EvidenceFile() {}

    /** Returns whether the first bytes are those of a memory report or of shared memory; the stream is reset. */
    public static boolean isOfMoment(InputStream file) throws IOException {
        file.mark(COMPRESSED_BEGINNING);
        byte[] beginning = file.readNBytes(COMPRESSED_BEGINNING);
        file.reset();
        Content content = content(new ByteArrayInputStream(beginning), BLOCK);
        return SharedMemoryParser.isSharedMemory(content.bytes) || MemoryReportParser.isMemoryReport(content.text());
    }

    /** Reads a file. */
    public static RuntimeEvidence read(Path file) throws IOException {
        // A channel queries the position of a pipe, which has none.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
        try (InputStream input = isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file)) {
            return read(input, file.toString());
        }
    }

    /** Reads a stream to its end. */
    public static RuntimeEvidence read(InputStream file, String name) throws IOException {
        Content content = content(file, MAX_BYTES);
        if (SharedMemoryParser.isSharedMemory(content.bytes)) {
            return SharedMemoryParser.parse(content.bytes, name);
        }
        String text = content.text();
        if (MemoryReportParser.isMemoryReport(text)) {
            return MemoryReportParser.parse(text, content.damage, name);
        }
        throw new IOException(content.damage.orElse("it is neither a memory report nor the shared memory of a device."
                + " Give a file that dump_device_memory_state wrote, or /dev/shm/tt_device_…_memory"));
    }

    /** Reads the bytes up to the end, to damage, or to the first block that ends after the given number. */
    private static Content content(InputStream file, int most) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PlainInput input = PlainInput.of(file);
        Optional<String> damage = input.damage();
        byte[] block = new byte[BLOCK];
        try {
            int length = input.stream().read(block);
            while (length >= 0 && bytes.size() < most) {
                bytes.write(block, 0, length);
                length = input.stream().read(block);
            }
            if (length >= 0) {
                damage = Optional.of("only its first bytes were read, " + bytes.size() + " of them");
            }
        } catch (EOFException | ZipException e) {
            damage = Optional.of("its " + PlainInput.BROKEN.substring("the ".length()) + " after byte " + bytes.size());
        }
        return new Content(bytes.toByteArray(), damage);
    }
}
