package dev.meshguard.server.log.internal;

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

    private static final byte[] PID = ascii("[PID ");
    private static final byte[] ALLOCATED = ascii("Allocated ");
    private static final byte[] BYTES_OF = ascii(" bytes of ");
    private static final byte[] ON_DEVICE = ascii(" on device ");
    private static final byte[] BUFFER_ID = ascii(" (buffer_id=");
    private static final byte[] REF_COUNT = ascii(", ref_count=");
    private static final byte[] FREED_BUFFER = ascii("Freed buffer ");
    private static final byte[] OPEN = ascii(" (");
    private static final byte[] BYTES = ascii(" bytes");
    private static final byte[] FINAL = ascii(", FINAL");
    private static final byte[] REMAINING = ascii(" remaining");
    private static final byte[] CLOSE = ascii(")");
    private static final byte[] UNKNOWN = ascii("Deallocation for unknown buffer ");
    private static final byte[] ALREADY_FREED = ascii("Deallocation for ALREADY FREED buffer ");
    private static final byte[] REUSED = ascii("Buffer reused with DIFFERENT size: old=");
    private static final byte[] NEW = ascii(" new=");
    private static final byte[] DEVICE = ascii(", device=");
    private static final byte[] INVALID_TYPE = ascii("Invalid buffer_type ");

    /** Longer names first: {@code L1_SMALL} begins with {@code L1}. */
    private static final BufferType[] TYPES = {
        BufferType.DRAM, BufferType.L1_SMALL, BufferType.L1, BufferType.SYSTEM_MEMORY, BufferType.TRACE
    };

    private static final byte[][] TYPE_NAMES = names();

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

    /**
     * Reads the next report of the line; {@link Kind#NONE} after the last one.
     *
     * <p>The two usual lines are read here and not in methods of their own: HotSpot compiles a method of more than 325
     * bytes of bytecode into none of its callers. That saves {@code analyze} of a million lines 0.4 s of 2.8 s of CPU
     * time.
     */
    Kind next() {
        int bracket = bracket();
        while (bracket >= 0) {
            at = bracket + PID.length;
            Kind kind = Kind.NONE;
            if (isStartOfReport(bracket) && takePid()) {
                if (take(ALLOCATED)) {
                    boolean isRead = takeNumber() && value >= 0;
                    size = value;
                    isRead = isRead
                            && take(BYTES_OF)
                            && takeType()
                            && take(ON_DEVICE)
                            && takeDevice()
                            && take(BUFFER_ID)
                            && takeId();
                    references = 0;
                    if (isRead && take(REF_COUNT)) {
                        isRead = takeNumber();
                        references = value;
                    }
                    kind = isRead && take(CLOSE) && isOver() ? Kind.ALLOCATED : Kind.NONE;
                } else if (take(FREED_BUFFER)) {
                    boolean isRead =
                            takeId() && take(ON_DEVICE) && takeDevice() && take(OPEN) && takeNumber() && value >= 0;
                    size = value;
                    isRead = isRead && take(BYTES);
                    references = 0;
                    hasRemaining = isRead && take(FINAL);
                    if (isRead && !hasRemaining && take(REF_COUNT)) {
                        hasRemaining = true;
                        isRead = takeNumber() && take(REMAINING);
                        references = value;
                    }
                    kind = isRead && take(CLOSE) && isOver() ? Kind.FREED : Kind.NONE;
                } else {
                    kind = unusual();
                }
            }
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
            if (bytes[i] == '[' && startsWith(PID, i)) {
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
        return takeByte(']') && takeByte(' ');
    }

    private Kind unusual() {
        isAlreadyFreed = false;
        if (take(UNKNOWN)) {
            return unknown() ? Kind.UNKNOWN_FREE : Kind.NONE;
        }
        if (take(ALREADY_FREED)) {
            isAlreadyFreed = true;
            return unknown() ? Kind.UNKNOWN_FREE : Kind.NONE;
        }
        if (take(REUSED)) {
            return otherSize() ? Kind.OTHER_SIZE : Kind.NONE;
        }
        return take(INVALID_TYPE) ? Kind.REJECTED : Kind.NONE;
    }

    /** The text in brackets is the server's guess at the reason, and not always right. */
    private boolean unknown() {
        return takeId() && take(ON_DEVICE) && takeDevice() && (at == end || isSpace(bytes[at]));
    }

    private boolean otherSize() {
        if (!takeNumber() || !take(NEW) || !takeNumber() || value < 0) {
            return false;
        }
        size = value;
        return take(BUFFER_ID) && takeId() && take(DEVICE) && takeDevice() && take(CLOSE) && isOver();
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
                || startsWith(PID, rest)
                || (rest > at && (bytes[rest] == '#' || bytes[rest] == '<'));
    }

    private boolean takeType() {
        for (int i = 0; i < TYPES.length; i++) {
            if (take(TYPE_NAMES[i])) {
                type = TYPES[i];
                return true;
            }
        }
        return false;
    }

    private boolean takeDevice() {
        boolean isRead = takeNumber() && value == (int) value;
        device = (int) value;
        return isRead;
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

    private boolean take(byte[] word) {
        if (!startsWith(word, at)) {
            return false;
        }
        at += word.length;
        return true;
    }

    private boolean takeByte(char character) {
        boolean taken = at < end && bytes[at] == character;
        at += taken ? 1 : 0;
        return taken;
    }

    private boolean startsWith(byte[] word, int from) {
        if (end - from < word.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (bytes[from + i] != word[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSpace(byte character) {
        return character == ' ' || character == '\t';
    }

    private static byte[][] names() {
        byte[][] names = new byte[TYPES.length][];
        for (int i = 0; i < TYPES.length; i++) {
            names[i] = ascii(TYPES[i].name());
        }
        return names;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
