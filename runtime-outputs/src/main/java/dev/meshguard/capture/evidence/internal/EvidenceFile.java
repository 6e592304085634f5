package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A file of evidence, whose first bytes show what it is. */
public final class EvidenceFile {

    private static final int BEGINNING = 1 << 10;
    private static final int COMPRESSED_BEGINNING = 1 << 13;
    private static final int BLOCK = 1 << 16;

    private EvidenceFile() {}

    /** Returns whether the first bytes are those of a memory report or of shared memory; the stream is reset. */
    public static boolean isOfMoment(InputStream file) throws IOException {
        file.mark(COMPRESSED_BEGINNING);
        byte[] beginning = file.readNBytes(COMPRESSED_BEGINNING);
        file.reset();
        try {
            byte[] plain = beginningOf(PlainInput.of(new ByteArrayInputStream(beginning)).stream());
            return SharedMemoryParser.isSharedMemory(plain) || isMemoryReport(plain);
        } catch (IOException damaged) {
            return false;
        }
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
        PlainInput input = PlainInput.of(file);
        if (input.damage().isPresent()) {
            throw new IOException(input.damage().get());
        }
        BufferedInputStream plain = new BufferedInputStream(input.stream(), BLOCK);
        plain.mark(BEGINNING);
        byte[] beginning = beginningOf(plain);
        plain.reset();
        if (SharedMemoryParser.isSharedMemory(beginning)) {
            return SharedMemoryParser.parse(plain, name);
        }
        if (!isMemoryReport(beginning)) {
            throw new IOException("it is neither a memory report nor the shared memory of a device. Give a file that"
                    + " dump_device_memory_state wrote, or /dev/shm/tt_device_…_memory");
        }
        return MemoryReportParser.parse(plain, name);
    }

    /** Returns what can be read of the beginning; a damaged file may have less. */
    private static byte[] beginningOf(InputStream plain) {
        byte[] beginning = new byte[BEGINNING];
        int length = 0;
        try {
            while (length < BEGINNING) {
                int one = plain.read();
                if (one < 0) {
                    break;
                }
                beginning[length++] = (byte) one;
            }
        } catch (IOException damaged) {
            // The lines are read up to the damage.
        }
        return Arrays.copyOf(beginning, length);
    }

    private static boolean isMemoryReport(byte[] beginning) {
        return MemoryReportParser.isMemoryReport(new String(beginning, StandardCharsets.UTF_8));
    }
}
