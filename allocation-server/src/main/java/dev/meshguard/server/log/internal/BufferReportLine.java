package dev.meshguard.server.log.internal;

import static dev.meshguard.server.log.internal.ReportWords.ascii;

import dev.meshguard.event.BufferType;
import java.nio.charset.StandardCharsets;

/**
 * The reports about a buffer in a line of the server: nearly always one.
 *
 * <p>A few objects serve all lines of a log: each is reused. The mark at the beginning of a line is ignored, because a
 * wrong encoding damages it first; the words are sufficient.
 */
final class BufferReportLine {

    /** The kind of a line. */
    enum Kind {
        /** No further report of a buffer. */
        NONE,
        /** A buffer was allocated. */
        ALLOCATED,
        /** A buffer was freed. */
        FREED,
        /** A free found no buffer. */
        UNKNOWN_FREE,
        /** A buffer was allocated again with another size; follows the line of the allocation. */
        OTHER_SIZE,
        /** The server rejected the message. */
        REJECTED
    }

    static final long NO_PID = Long.MIN_VALUE;

    private static final int MAX_PLACEHOLDER_LENGTH = 16;

    // The fields of a form, by characters that no line has; the other characters of a form are those of the line.
    private static final char SIZE = 1;
    private static final char TYPE = 2;
    private static final char DEVICE = 3;
    private static final char ID = 4;
    private static final char REFERENCES = 5;

    private static final byte[] PID = ascii("[PID ");
    private static final byte[] CLOSE_PID = ascii("] ");
    private static final byte[] ALLOCATED =
            ascii("Allocated " + SIZE + " bytes of " + TYPE + " on device " + DEVICE + " (buffer_id=" + ID);
    private static final byte[] REF_COUNT = ascii(", ref_count=" + REFERENCES);
    private static final byte[] FREED = ascii("Freed buffer " + ID + " on device " + DEVICE + " (" + SIZE + " bytes");
    private static final byte[] FINAL = ascii(", FINAL");
    private static final byte[] REMAINING = ascii(", ref_count=" + REFERENCES + " remaining");
    private static final byte[] CLOSE = ascii(")");
    private static final byte[] UNKNOWN = ascii("Deallocation for unknown buffer " + ID + " on device " + DEVICE);
    private static final byte[] ALREADY_FREED =
            ascii("Deallocation for ALREADY FREED buffer " + ID + " on device " + DEVICE);
    private static final byte[] REUSED = ascii("Buffer reused with DIFFERENT size: old=" + SIZE + " new=" + SIZE
            + " (buffer_id=" + ID + ", device=" + DEVICE + ")");
    private static final byte[] INVALID_TYPE = ascii("Invalid buffer_type ");

    long line;
    long pid;
    int device;
    long id;
    boolean isHexadecimal;
    long size;
    BufferType type = BufferType.DRAM;

    long references;

    /** Whether a free contains the number of remaining references. */
    boolean hasRemaining;

    boolean isAlreadyFreed;

    private byte[] bytes = {};
    private int at;
    private int end;

    /** The end of the latest report of the line. */
    private int unreadFrom;

    private int prefixEnd;
    private boolean isFirst;
    private boolean isDamaged;
    private long value;

    /** Begins with a line; {@link #next()} returns its reports. */
    void begin(byte[] lineBytes, int from, int to, long number) {
        line = number;
        bytes = lineBytes;
        end = to;
        at = from;
        unreadFrom = from;
        isFirst = true;
        isDamaged = false;
    }

    /** Reads the next report of the line; {@link Kind#NONE} after the last one. */
    Kind next() {
        int bracket = bracket();
        while (bracket >= 0) {
            at = bracket + PID.length;
            Kind kind = isStartOfReport(bracket) && takePid() ? kind() : Kind.NONE;
            if (kind != Kind.NONE) {
                return found(kind, bracket);
            }
            isDamaged |= prefixEnd(bracket) == unreadFrom;
            at = bracket + PID.length;
            bracket = bracket();
        }
        isDamaged |= ReportWords.areIn(bytes, unreadFrom, end);
        return Kind.NONE;
    }

    private Kind kind() {
        references = 0;
        isAlreadyFreed = false;
        if (take(ALLOCATED)) {
            take(REF_COUNT);
            return take(CLOSE) && isOver() ? Kind.ALLOCATED : Kind.NONE;
        }
        if (take(FREED)) {
            hasRemaining = take(FINAL) || take(REMAINING);
            return take(CLOSE) && isOver() ? Kind.FREED : Kind.NONE;
        }
        isAlreadyFreed = take(ALREADY_FREED);
        if (isAlreadyFreed || take(UNKNOWN)) {
            // The text in brackets is the server's guess at the reason, and not always right.
            return at == end || isSpace(bytes[at]) ? Kind.UNKNOWN_FREE : Kind.NONE;
        }
        if (take(REUSED)) {
            return isOver() ? Kind.OTHER_SIZE : Kind.NONE;
        }
        return take(INVALID_TYPE) ? Kind.REJECTED : Kind.NONE;
    }

    private Kind found(Kind kind, int bracket) {
        isDamaged |= ReportWords.areIn(bytes, unreadFrom, bracket);
        prefixEnd = isFirst ? prefixEnd(bracket) : prefixEnd;
        isFirst = false;
        unreadFrom = at;
        return kind;
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

    /** A document may use {@code xxx} for an irrelevant number. */
    private boolean takePid() {
        if (takeNumber()) {
            pid = value;
        } else {
            int start = at;
            while (at < end && at - start < MAX_PLACEHOLDER_LENGTH && bytes[at] != ']' && !isSpace(bytes[at])) {
                at++;
            }
            if (at == start || (bytes[start] >= '0' && bytes[start] <= '9')) {
                return false;
            }
            pid = NO_PID;
        }
        return take(CLOSE_PID);
    }

    /** A person may have added a remark, another report may follow, and a value in JSON ends with a quotation mark. */
    private boolean isOver() {
        int rest = at;
        while (rest < end && isSpace(bytes[rest])) {
            rest++;
        }
        return rest == end
                || bytes[rest] == '"'
                || bytes[rest] == '\\'
                || bytes[rest] < 0
                || ReportWords.startsWith(PID, bytes, rest, end)
                || (rest > at && (bytes[rest] == '#' || bytes[rest] == '<'));
    }

    private boolean takeType() {
        BufferType found = ReportWords.typeAt(bytes, at, end);
        if (found == null) {
            return false;
        }
        type = found;
        at += found.name().length();
        return true;
    }

    private boolean takeId() {
        boolean isPrefixed = at + 1 < end && bytes[at] == '0' && (bytes[at + 1] == 'x' || bytes[at + 1] == 'X');
        isHexadecimal = isPrefixed;
        boolean read = isPrefixed ? takeHexadecimal() : takeUnsigned();
        id = value;
        return read;
    }

    private boolean takeHexadecimal() {
        at += 2;
        int start = at;
        long read = 0;
        while (at < end && at - start <= 16) {
            int digit = hexadecimalDigit(bytes[at]);
            if (digit < 0) {
                break;
            }
            read = read << 4 | digit;
            at++;
        }
        value = read;
        return at > start && at - start <= 16;
    }

    private static int hexadecimalDigit(byte character) {
        if (character >= '0' && character <= '9') {
            return character - '0';
        }
        int letter = character | 0x20;
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }

    /** An id may need all 64 bits. */
    private boolean takeUnsigned() {
        int start = at;
        if (takeNumber()) {
            return value >= 0;
        }
        at = start;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        try {
            value = Long.parseUnsignedLong(new String(bytes, start, at - start, StandardCharsets.US_ASCII));
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private boolean takeNumber() {
        int start = at;
        boolean isNegative = at < end && bytes[at] == '-';
        at += isNegative ? 1 : 0;
        int digits = at;
        long read = 0;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            if (at - digits >= 18) {
                at = start;
                return false;
            }
            read = read * 10 + (bytes[at] - '0');
            at++;
        }
        if (at == digits) {
            at = start;
            return false;
        }
        value = isNegative ? -read : read;
        return true;
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
        switch (field) {
            case SIZE -> {
                boolean isRead = takeNumber() && value >= 0;
                size = value;
                return isRead;
            }
            case TYPE -> {
                return takeType();
            }
            case DEVICE -> {
                boolean isRead = takeNumber() && value == (int) value;
                device = (int) value;
                return isRead;
            }
            case ID -> {
                return takeId();
            }
            default -> {
                boolean isRead = takeNumber();
                references = value;
                return isRead;
            }
        }
    }

    private static boolean isSpace(byte character) {
        return character == ' ' || character == '\t';
    }
}
