package dev.meshguard.capture.heap.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.event.Quantities;
import java.io.EOFException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/**
 * The heap that reading and judging a log takes.
 *
 * <p>It depends on the content: a log whose buffers are freed and whose addresses are used again takes little, one whose
 * buffers all survive takes much. So there are two figures: the least that any log takes, by which a file is refused, and what
 * is usual, which the message names. A file that is not refused may still not fit.
 *
 * <p>Only what takes heap in any case is counted, the reported allocations: a free may be of an unknown buffer, which takes no
 * heap.
 *
 * @param name the name of the file in messages
 * @param allocations how many of them it has, about
 */
public record HeapNeed(String name, long allocations) {

    /** An event of a journal with its request. */
    private static final long LEAST_BYTES = 52;

    /**
     * Measured as the {@code -Xmx} in which {@code meshguard analyze} answers, JDK 17 with G1: 220 MiB for 500,000 allocations at
     * addresses that are used once, and their frees.
     */
    private static final long USUAL_BYTES = 400;

    /** What the JVM and the program take themselves. */
    private static final long BASE = 8L << 20;

    private static final int BEGINNING = 1 << 20;
    private static final long GIBIBYTE = 1L << 30;
    private static final long STEP = 64L << 20;
    private static final long MILLION = 1_000_000;
    private static final MathContext TWO_DIGITS = new MathContext(2);
    private static final String DATABASE = "SQLite format 3\0";

    /** In bytes, as the reader of a log finds it: after a mark or the prefix of a tool, and not quoted. */
    private static final Pattern ALLOCATION =
            Pattern.compile("(?md)^[^`\"\n]{0,96}?\\[PID [^]\n]{1,20}] Allocated \\d+ bytes of ");

    /**
     * Estimates the allocations in a log from the first megabyte. Empty if there are none in it, for a pipe, for damaged
     * compressed data, and for a database.
     */
    public static Optional<HeapNeed> of(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try (SeekableByteChannel raw = Files.newByteChannel(file)) {
            PlainInput plain = PlainInput.of(Channels.newInputStream(raw));
            byte[] bytes = plain.stream().readNBytes(BEGINNING);
            // Of a compressed file, the share is that of the compressed bytes.
            long read = plain.isCompressed() ? raw.position() : bytes.length;
            double share = bytes.length < BEGINNING ? 1 : Math.min(1, (double) read / raw.size());
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            return Optional.of(new HeapNeed(file.toString(), countAllocations(text, share)))
                    .filter(need -> need.allocations > 0 && !text.startsWith(DATABASE));
        } catch (EOFException | ZipException damaged) {
            return Optional.empty();
        }
    }

    /** Returns the number of allocations in the whole file, if the rest of it is like its beginning. */
    private static long countAllocations(String beginning, double share) {
        return Math.round(ALLOCATION.matcher(beginning).results().count() / share);
    }

    /**
     * Refuses a file that needs more heap than this JVM has, in any case.
     *
     * @throws InsufficientHeapException if it does
     */
    public static void requireRoomFor(Path file) throws IOException {
        Optional<HeapNeed> need = of(file);
        if (need.isPresent()) {
            need.get().requireRoom(Runtime.getRuntime().maxMemory());
        }
    }

    void requireRoom(long heap) throws InsufficientHeapException {
        if (BASE + allocations * LEAST_BYTES > heap) {
            throw new InsufficientHeapException(text(heap));
        }
    }

    /** Returns the sentences for a file that does not fit into a heap: what it needs, and how to give it. */
    public String text(long heap) {
        long bytes = rounded(Math.max(BASE + allocations * USUAL_BYTES, 2 * heap));
        return String.format(
                Locale.ROOT,
                "%s has about %s allocations, which need about %s of heap; this JVM has %s. %s",
                name,
                aboutCount(),
                Quantities.shortSize(bytes),
                Quantities.shortSize(heap),
                wayOut(bytes));
    }

    private String aboutCount() {
        BigDecimal about = BigDecimal.valueOf(allocations).round(TWO_DIGITS);
        return allocations < MILLION
                ? String.format(Locale.ROOT, "%,d", about.longValue())
                : about.divide(BigDecimal.valueOf(MILLION)).stripTrailingZeros().toPlainString() + " million";
    }

    /** Returns the sentence that says how to give this program a heap. */
    public static String wayOut(long bytes) {
        long rounded = rounded(bytes);
        String option = rounded % GIBIBYTE == 0 ? "-Xmx" + rounded / GIBIBYTE + "g" : "-Xmx" + (rounded >> 20) + "m";
        return "Run it with " + option + " (meshguard: JDK_JAVA_OPTIONS=" + option + " meshguard …).";
    }

    private static long rounded(long bytes) {
        long step = bytes < GIBIBYTE ? STEP : GIBIBYTE;
        return (bytes + step - 1) / step * step;
    }
}
