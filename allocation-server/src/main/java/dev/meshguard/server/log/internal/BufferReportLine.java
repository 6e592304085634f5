package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reports about a buffer in a line of the server: nearly always one.
 *
 * <p>One object serves all lines of a log. The mark at the beginning of a line is ignored, because a wrong encoding damages it
 * first; the words are sufficient.
 */
final class BufferReportLine {

    // The fields of a form, by characters that no line has; the other characters of a form are those of the line.
    private static final char SIZE = 1;
    private static final char TYPE = 2;
    private static final char DEVICE = 3;
    private static final char ID = 4;
    private static final char REFERENCES = 5;

    /** The kind of a report: how it begins, and the ways in which it may end. */
    enum Kind {
        /** A buffer was allocated. */
        ALLOCATED(
                "Allocated " + SIZE + " bytes of " + TYPE + " on device " + DEVICE + " (buffer_id=" + ID,
                ")",
                ", ref_count=" + REFERENCES + ")"),
        /** A buffer was freed. */
        FREED(
                "Freed buffer " + ID + " on device " + DEVICE + " (" + SIZE + " bytes",
                ", FINAL)",
                ")",
                ", ref_count=" + REFERENCES + " remaining)"),
        /** A free found no buffer. The text in brackets is the server's guess at the reason, and not always right. */
        UNKNOWN_FREE(
                "Deallocation for ",
                "unknown buffer " + ID + " on device " + DEVICE,
                "ALREADY FREED buffer " + ID + " on device " + DEVICE),
        /** A buffer was allocated again with another size; follows the line of the allocation. */
        OTHER_SIZE(
                "Buffer reused with DIFFERENT size: old=" + SIZE + " new=" + SIZE + " (buffer_id=" + ID + ", device="
                        + DEVICE,
                ")"),
        /** The server rejected the message. */
        REJECTED("Invalid buffer_type", "");

        @SuppressWarnings("ImmutableEnumChecker") // Never written.
        private final byte[] beginning;

        @SuppressWarnings("ImmutableEnumChecker") // Never written.
        private final byte[][] ends;

        Kind(String beginning, String... ends) {
            this.beginning = ascii(beginning);
            this.ends = Arrays.stream(ends).map(BufferReportLine::ascii).toArray(byte[][]::new);
        }

        /** Returns whether it reports that memory was allocated or freed. */
        boolean isOfMemory() {
            return this != OTHER_SIZE && this != REJECTED;
        }
    }

    static final long NO_PID = Long.MIN_VALUE;

    private static final Kind[] KINDS = Kind.values();

    /** Longer names first: {@code L1_SMALL} begins with {@code L1}. */
    private static final BufferType[] TYPES = {
        BufferType.DRAM, BufferType.L1_SMALL, BufferType.L1, BufferType.SYSTEM_MEMORY, BufferType.TRACE
    };

    private static final byte[][] TYPE_NAMES =
            Arrays.stream(TYPES).map(type -> ascii(type.name())).toArray(byte[][]::new);

    /**
     * The prefix of a tool before a report. It does not end with a word of a sentence, unless that is a level in capitals.
     * It does not end in a quotation, unless that is a value in JSON. A dash with words before it separates the fields of a logger.
     */
    private static final Pattern PREFIX = Pattern.compile("(?s)(?=(?:[^\"`]*\"[^\"`]*\")*+[^\"`]*(?::\\s*\"[^\"`]*)?$)"
            + "(?:.*[^A-Za-z.,;('*\\-\\s]|.*[ \\t][A-Z]+|[\\x80-\\xff \\t?>]*+.+-)[ \\t]*");

    /** The words by which a report is recognized where it cannot be read. */
    private static final Pattern REPORT_WORDS =
            Pattern.compile("Allocated [-0-9]+ bytes|bytes of (?:DRAM|L1|SYSTEM_MEMORY|TRACE)"
                    + "|Freed buffer|Deallocation for |buffer_id=");

    private static final int SHORTEST_WORDS = 10;

    /** No such words are longer: a number of twenty digits, and those around it. */
    static final int LONGEST_WORDS = 40;

    private static final int MAX_PLACEHOLDER_LENGTH = 16;
    private static final byte[] PID = ascii("[PID ");
    private static final byte[] CLOSE_PID = ascii("] ");
    private static final byte[] FINAL = Kind.FREED.ends[0];
    private static final int DECIMAL = 10;
    private static final int HEXADECIMAL = 16;

    /** The largest numbers to which one more digit can be added. */
    private static final long MAX_TENTH = Long.divideUnsigned(-1, DECIMAL);

    private static final long MAX_SIXTEENTH = -1L >>> 4;

    long line;
    long pid;
    int device;
    long id;
    long size;
    BufferType type = BufferType.DRAM;

    /** The number of references after the report; negative if the line has none. */
    long references;

    private byte[] bytes = {};
    private int at;
    private int end;

    /** The end of the latest report of the line. */
    private int unreadFrom;

    private int prefixEnd;
    private boolean isDamaged;
    private long value;

    /** Begins with a line; {@link #next()} returns its reports. */
    void begin(byte[] lineBytes, int from, int to, long number) {
        line = number;
        bytes = lineBytes;
        end = to;
        at = from;
        unreadFrom = from;
        prefixEnd = -1;
        isDamaged = false;
    }

    /** Reads the next report of the line; null after the last one, or before one that a sentence quotes. */
    @Nullable
    Kind next() {
        for (int bracket = bracket(); bracket >= 0; bracket = bracket()) {
            at = bracket + PID.length;
            Kind kind = takePid() ? kind() : null;
            if (kind != null) {
                boolean isQuoted = !isStartOfReport(bracket);
                isDamaged |= isQuoted || containsReport(bytes, unreadFrom, bracket);
                prefixEnd = prefixEnd < 0 ? prefixEnd(bracket) : prefixEnd;
                unreadFrom = isQuoted ? end : at;
                at = unreadFrom;
                return isQuoted ? null : kind;
            }
            isDamaged |= prefixEnd(bracket) == unreadFrom;
            at = bracket + PID.length;
        }
        isDamaged |= containsReport(bytes, unreadFrom, end);
        return null;
    }

    private @Nullable Kind kind() {
        references = -1;
        for (Kind kind : KINDS) {
            if (take(kind.beginning)) {
                return takeEnd(kind) && isOver(kind) ? kind : null;
            }
        }
        return null;
    }

    private boolean takeEnd(Kind kind) {
        for (byte[] last : kind.ends) {
            if (take(last)) {
                references = last == FINAL ? 0 : references;
                return true;
            }
        }
        return false;
    }

    /** Returns whether the line, of which all reports are read, contains one more that cannot be read. */
    boolean isDamaged() {
        return isDamaged;
    }

    /** Returns where the prefix of a tool ends before the mark of the line's first report: a time, a container's name. */
    int prefixEnd() {
        return prefixEnd;
    }

    private int bracket() {
        for (int i = at; i < end; i++) {
            if (bytes[i] == '[' && startsWith(PID, bytes, i, end)) {
                return i;
            }
        }
        return -1;
    }

    private boolean isStartOfReport(int bracket) {
        return prefixEnd(bracket) == unreadFrom
                || PREFIX.matcher(text(bytes, unreadFrom, bracket)).matches();
    }

    /** Returns where the marks before a place begin. */
    private int prefixEnd(int place) {
        int first = place;
        while (first > unreadFrom && isMark(bytes[first - 1])) {
            first--;
        }
        return first;
    }

    private static boolean isMark(byte character) {
        return character < 0 || isSpace(character) || character == '?' || character == '>';
    }

    /** A person may have added a remark, another report may follow, and a value in JSON ends with a quotation mark. */
    private boolean isOver(Kind kind) {
        int rest = at;
        while (rest < end && isSpace(bytes[rest])) {
            rest++;
        }
        if (rest == end || kind == Kind.REJECTED) {
            return true;
        }
        if (kind == Kind.UNKNOWN_FREE) {
            return rest > at;
        }
        return bytes[rest] == '"'
                || bytes[rest] == '\\'
                || bytes[rest] < 0
                || startsWith(PID, bytes, rest, end)
                || (rest > at && (bytes[rest] == '#' || bytes[rest] == '<'));
    }

    /** Takes a form with its fields, or nothing. */
    private boolean take(byte[] form) {
        int start = at;
        for (byte wanted : form) {
            boolean isTaken = wanted < ' ' ? takeField(wanted) : at < end && bytes[at++] == wanted;
            if (!isTaken) {
                at = start;
                return false;
            }
        }
        return true;
    }

    private boolean takeField(byte field) {
        if (field == TYPE) {
            return takeType();
        }
        if (field == ID) {
            boolean isPrefixed = at + 1 < end && bytes[at] == '0' && (bytes[at + 1] | 0x20) == 'x';
            at += isPrefixed ? 2 : 0;
            boolean isRead = takeDigits(isPrefixed ? HEXADECIMAL : DECIMAL);
            id = value;
            return isRead;
        }
        if (!takeNumber()) {
            return false;
        }
        switch (field) {
            case DEVICE -> {
                device = (int) value;
                return value == device;
            }
            case SIZE -> size = value;
            default -> references = value;
        }
        return value >= 0;
    }

    private boolean takeType() {
        for (int i = 0; i < TYPES.length; i++) {
            if (startsWith(TYPE_NAMES[i], bytes, at, end)) {
                type = TYPES[i];
                at += TYPE_NAMES[i].length;
                return true;
            }
        }
        return false;
    }

    /** A document may use {@code xxx} for an irrelevant number. */
    private boolean takePid() {
        if (takeNumber()) {
            pid = value;
        } else {
            int start = at;
            while (at < end && at - start < MAX_PLACEHOLDER_LENGTH && bytes[at] != ']' && !isSpace(bytes[at])) {
                at++;
            }
            if (at == start || digit(bytes[start], DECIMAL) >= 0) {
                return false;
            }
            pid = NO_PID;
        }
        return take(CLOSE_PID);
    }

    private boolean takeNumber() {
        int start = at;
        boolean isNegative = at < end && bytes[at] == '-';
        at += isNegative ? 1 : 0;
        if (!takeDigits(DECIMAL) || value < 0) {
            at = start;
            return false;
        }
        value = isNegative ? -value : value;
        return true;
    }

    /** Takes an unsigned number of at most 64 bits. */
    private boolean takeDigits(int radix) {
        int start = at;
        int digit = at < end ? digit(bytes[at], radix) : -1;
        value = 0;
        while (digit >= 0) {
            long before = value;
            value = before * radix + digit;
            boolean isTooLarge = before < 0 || before > (radix == DECIMAL ? MAX_TENTH : MAX_SIXTEENTH);
            if (isTooLarge || Long.compareUnsigned(value, before) < 0) {
                return false;
            }
            at++;
            digit = at < end ? digit(bytes[at], radix) : -1;
        }
        return at > start;
    }

    private static int digit(byte character, int radix) {
        int digit = character - '0';
        if (digit >= 0 && digit < DECIMAL) {
            return digit;
        }
        int letter = (character | 0x20) - 'a' + DECIMAL;
        return letter >= DECIMAL && letter < radix ? letter : -1;
    }

    private static boolean isSpace(byte character) {
        return character == ' ' || character == '\t';
    }

    /** Returns whether a part of a line contains the words of a report, also where it cannot be read. */
    static boolean containsReport(byte[] line, int from, int to) {
        return to - from >= SHORTEST_WORDS
                && REPORT_WORDS.matcher(text(line, from, to)).find();
    }

    private static String text(byte[] line, int from, int to) {
        return new String(line, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static boolean startsWith(byte[] word, byte[] line, int from, int to) {
        return to - from >= word.length && Arrays.equals(line, from, from + word.length, word, 0, word.length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
