package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The words by which a report of a buffer is recognized where it cannot be read: {@code Allocated N bytes}, {@code bytes of
 * TYPE}, {@code Freed buffer}, {@code Deallocation for} and {@code buffer_id=}.
 */
final class ReportWords {

    /** The words with their last bytes first need this many bytes: a number of twenty digits, and the words around it. */
    static final int MAX_LENGTH = 40;

    private static final byte[] ALLOCATED = ascii("Allocated ");
    private static final byte[] BYTES = ascii(" bytes");
    private static final byte[] BYTES_OF = ascii("bytes of ");
    private static final byte[] FREED = ascii("Freed buffer");
    private static final byte[] FREED_UNKNOWN = ascii("Deallocation for ");
    private static final byte[] BUFFER_ID = ascii("buffer_id=");

    /** Longer names first: {@code L1_SMALL} begins with {@code L1}. */
    private static final BufferType[] TYPES = {
        BufferType.DRAM, BufferType.L1_SMALL, BufferType.L1, BufferType.SYSTEM_MEMORY, BufferType.TRACE
    };

    private static final byte[][] TYPE_NAMES =
            Arrays.stream(TYPES).map(type -> ascii(type.name())).toArray(byte[][]::new);

    private ReportWords() {}

    /** Returns whether a part of a line contains such words. */
    static boolean areIn(byte[] line, int from, int to) {
        for (int at = from; at < to; at++) {
            boolean found = switch (line[at]) {
                case 'D' -> startsWith(FREED_UNKNOWN, line, at, to);
                case 'A' -> startsWith(ALLOCATED, line, at, to) && isCounted(line, at + ALLOCATED.length, to);
                case 'F' -> startsWith(FREED, line, at, to);
                case 'b' ->
                    startsWith(BUFFER_ID, line, at, to)
                            || (startsWith(BYTES_OF, line, at, to) && typeAt(line, at + BYTES_OF.length, to) != null);
                default -> false;
            };
            if (found) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCounted(byte[] line, int from, int to) {
        int at = from;
        while (at < to && (line[at] == '-' || (line[at] >= '0' && line[at] <= '9'))) {
            at++;
        }
        return at > from && startsWith(BYTES, line, at, to);
    }

    /** Returns the memory type whose name is at a place of a line, or null. */
    static @Nullable BufferType typeAt(byte[] line, int from, int to) {
        for (int i = 0; i < TYPES.length; i++) {
            if (startsWith(TYPE_NAMES[i], line, from, to)) {
                return TYPES[i];
            }
        }
        return null;
    }

    static boolean startsWith(byte[] word, byte[] line, int from, int to) {
        return to - from >= word.length && Arrays.equals(line, from, from + word.length, word, 0, word.length);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
