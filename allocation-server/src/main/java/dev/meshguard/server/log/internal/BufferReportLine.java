package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import java.nio.charset.StandardCharsets;

/**
 * A parsed line of the server about one buffer.
 *
 * <p>A few objects serve all lines of a log: each is reused. The mark at the beginning of a line is ignored, because a
 * wrong encoding damages it first; the words are sufficient.
 */
final class BufferReportLine {

    /** The kind of a line. */
    enum Kind {
        /** Not about a buffer. */
        NONE,
        /** It begins like a report but is not valid. */
        BROKEN,
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
    static final int NO_DEVICE = Integer.MIN_VALUE;

    private static final int MAX_PREFIX_LENGTH = 96;
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
    private static final byte[] UNKNOWN_WITHOUT_PID = ascii("Warning: Deallocation for unknown buffer ");
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
    private long value;

    /**
     * Reads a line.
     *
     * <p>The two usual lines are read here and not in methods of their own: HotSpot compiles a method of more than 325
     * bytes of bytecode into none of its callers. That saves {@code analyze} of a million lines 0.4 s of 2.8 s of CPU
     * time.
     */
    Kind read(byte[] lineBytes, int from, int to, long number) {
        line = number;
        bytes = lineBytes;
        end = to;
        at = from;
        int bracket = bracket(from, Math.min(to, from + MAX_PREFIX_LENGTH));
        if (bracket < 0) {
            return withoutPid(from);
        }
        at = bracket + PID.length;
        Kind kind = Kind.BROKEN;
        if (isStartOfReport(from, bracket) && takePid()) {
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
                kind = isRead && take(CLOSE) && isOver() ? Kind.ALLOCATED : Kind.BROKEN;
            } else if (take(FREED_BUFFER)) {
                boolean isRead = takeId();
                device = NO_DEVICE;
                if (isRead && take(ON_DEVICE)) {
                    isRead = takeDevice();
                }
                isRead = isRead && take(OPEN) && takeNumber() && value >= 0;
                size = value;
                isRead = isRead && take(BYTES);
                references = 0;
                hasRemaining = isRead && take(FINAL);
                if (isRead && !hasRemaining && take(REF_COUNT)) {
                    hasRemaining = true;
                    isRead = takeNumber() && take(REMAINING);
                    references = value;
                }
                kind = isRead && take(CLOSE) && isOver() ? Kind.FREED : Kind.BROKEN;
            } else {
                kind = unusual();
            }
        }
        return kind == Kind.BROKEN && !isBare(from, bracket) ? Kind.NONE : kind;
    }

    private int bracket(int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == '[' && startsWith(PID, i)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * A report follows its mark, or the prefix of a tool: a time, the name of a container. It does not follow a
     * sentence.
     */
    private boolean isStartOfReport(int from, int bracket) {
        int last = bracket - 1;
        while (last >= from && isSpace(bytes[last])) {
            last--;
        }
        for (int i = from; i <= last; i++) {
            if (bytes[i] == '`' || bytes[i] == '"') {
                return false;
            }
        }
        return last < from || !isLetterOrPunctuation(bytes[last]);
    }

    private static boolean isLetterOrPunctuation(byte character) {
        return (character >= 'a' && character <= 'z')
                || (character >= 'A' && character <= 'Y')
                || ".,;(-'*".indexOf(character) >= 0;
    }

    /** Whether only marks precede it: then it is intended as a report. */
    private boolean isBare(int from, int bracket) {
        for (int i = from; i < bracket; i++) {
            if (bytes[i] > 0 && !isSpace(bytes[i]) && bytes[i] != '?' && bytes[i] != '>') {
                return false;
            }
        }
        return true;
    }

    private Kind withoutPid(int from) {
        int start = from;
        while (start < end && (bytes[start] < 0 || isSpace(bytes[start]) || bytes[start] == '?')) {
            start++;
        }
        at = start;
        if (start == end || !take(UNKNOWN_WITHOUT_PID) || !takeId()) {
            return Kind.NONE;
        }
        pid = NO_PID;
        device = NO_DEVICE;
        isAlreadyFreed = false;
        return isOver() ? Kind.UNKNOWN_FREE : Kind.NONE;
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
            return unknown() ? Kind.UNKNOWN_FREE : Kind.BROKEN;
        }
        if (take(ALREADY_FREED)) {
            isAlreadyFreed = true;
            return unknown() ? Kind.UNKNOWN_FREE : Kind.BROKEN;
        }
        if (take(REUSED)) {
            return otherSize() ? Kind.OTHER_SIZE : Kind.BROKEN;
        }
        return take(INVALID_TYPE) ? Kind.REJECTED : Kind.BROKEN;
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

    /** A person may have added a remark. */
    private boolean isOver() {
        int rest = at;
        while (rest < end && isSpace(bytes[rest])) {
            rest++;
        }
        return rest == end || (rest > at && (bytes[rest] < 0 || bytes[rest] == '#' || bytes[rest] == '<'));
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
        boolean read = takeNumber() && value == (int) value && value != NO_DEVICE;
        device = read ? (int) value : NO_DEVICE;
        return read;
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
