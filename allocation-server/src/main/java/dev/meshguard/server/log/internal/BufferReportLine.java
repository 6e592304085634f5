package dev.meshguard.server.log.internal;

import static dev.meshguard.server.log.internal.ReportWords.ascii;

import dev.meshguard.event.BufferType;
import java.util.Arrays;
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

        private final byte[] beginning;
        private final byte[][] ends;

        Kind(String beginning, String... ends) {
            this.beginning = ascii(beginning);
            this.ends = Arrays.stream(ends).map(ReportWords::ascii).toArray(byte[][]::new);
        }

        /** Returns whether it reports that memory was allocated or freed. */
        boolean isOfMemory() {
            return this != OTHER_SIZE && this != REJECTED;
        }
    }

    static final long NO_PID = Long.MIN_VALUE;

    private static final Kind[] KINDS = Kind.values();
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

    /** Reads the next report of the line; null after the last one. */
    @Nullable
    Kind next() {
        for (int bracket = bracket(); bracket >= 0; bracket = bracket()) {
            at = bracket + PID.length;
            Kind kind = isStartOfReport(bracket) && takePid() ? kind() : null;
            if (kind != null) {
                isDamaged |= ReportWords.areIn(bytes, unreadFrom, bracket);
                prefixEnd = prefixEnd < 0 ? prefixEnd(bracket) : prefixEnd;
                unreadFrom = at;
                return kind;
            }
            isDamaged |= prefixEnd(bracket) == unreadFrom;
            at = bracket + PID.length;
        }
        isDamaged |= ReportWords.areIn(bytes, unreadFrom, end);
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
            if (bytes[i] == '[' && ReportWords.startsWith(PID, bytes, i, end)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * A report follows its mark, or the prefix of a tool. It follows neither a word of a sentence nor a quotation mark; but
     * it may be a value in JSON.
     */
    private boolean isStartOfReport(int bracket) {
        boolean isInQuotes = false;
        boolean isValue = false;
        byte last = 0;
        int lastAt = -1;
        for (int i = unreadFrom; i < bracket; i++) {
            if (bytes[i] == '`') {
                return false;
            }
            if (bytes[i] == '"') {
                isInQuotes = !isInQuotes;
                isValue = last == ':';
            }
            if (!isSpace(bytes[i])) {
                last = bytes[i];
                lastAt = i;
            }
        }
        return (!isInQuotes || isValue) && (lastAt < 0 || !isOfSentence(lastAt));
    }

    /** Names of levels are in capitals, and a dash with words before it separates the fields of a logger. */
    private boolean isOfSentence(int last) {
        byte character = bytes[last];
        if (character == '-') {
            return prefixEnd(last) == unreadFrom;
        }
        int first = last;
        while (first > unreadFrom && isCapital(bytes[first])) {
            first--;
        }
        boolean isLevel = first < last && isSpace(bytes[first]);
        return !isLevel
                && (isCapital(character) || (character >= 'a' && character <= 'z') || ".,;('*".indexOf(character) >= 0);
    }

    private static boolean isCapital(byte character) {
        return character >= 'A' && character <= 'Z';
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
                || ReportWords.startsWith(PID, bytes, rest, end)
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
            BufferType found = ReportWords.typeAt(bytes, at, end);
            type = found == null ? type : found;
            at += found == null ? 0 : found.name().length();
            return found != null;
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
}
