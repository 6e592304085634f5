package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import java.util.Arrays;
import java.util.regex.Matcher;
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
        REJECTED("Invalid ", "buffer_type");

        @SuppressWarnings("ImmutableEnumChecker") // It is not modified.
        private final String[] beginning;

        @SuppressWarnings("ImmutableEnumChecker") // As above.
        private final String[][] ends;

        Kind(String beginning, String... ends) {
            this.beginning = parts(beginning);
            this.ends = Arrays.stream(ends).map(Kind::parts).toArray(String[][]::new);
        }

        /** Returns the fields of a form, and the words between them. */
        private static String[] parts(String form) {
            return form.split("(?<=[\1-\5])|(?=[\1-\5])", 0);
        }
    }

    static final long NO_PID = Long.MIN_VALUE;

    private static final Kind[] KINDS = Kind.values();

    /** Longer names first: {@code L1_SMALL} begins with {@code L1}. */
    private static final BufferType[] TYPES = {
        BufferType.DRAM, BufferType.L1_SMALL, BufferType.L1, BufferType.SYSTEM_MEMORY, BufferType.TRACE
    };

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

    /** A person may have added a remark, another report may follow, and a value in JSON ends with a quotation mark. */
    private static final Pattern REST = Pattern.compile("[ \\t]*(?:$|[\"\\\\\\x80-\\xff]|\\[PID )|[ \\t]+[#<]");

    /** A document may use {@code xxx} for an irrelevant number. */
    private static final Pattern PLACEHOLDER = Pattern.compile("[^\\] \\t0-9][^\\] \\t]{0,15}");

    private static final String PID = "[PID ";
    private static final String[] FINAL = Kind.FREED.ends[0];
    private static final int DECIMAL = 10;
    private static final int HEXADECIMAL = 16;

    /** No number with fewer digits needs more than 64 bits. */
    private static final int MAX_SMALL_DIGITS = 16;

    long number;
    long pid;
    int device;
    long id;
    long size;
    BufferType type = BufferType.DRAM;

    /** The number of references after the report; negative if the line has none. */
    long references;

    private String line = "";
    private int at;

    /** The end of the latest report of the line. */
    private int unreadFrom;

    private String prefix = "";
    private boolean isDamaged;

    /** Whether the line ends within the words of the report that is read. */
    private boolean isCut;

    private long value;

    /** Begins with a line, a character for each byte; {@link #next()} returns its reports. */
    void begin(String text, long lineNumber) {
        number = lineNumber;
        line = text;
        at = 0;
        unreadFrom = 0;
        isDamaged = false;
    }

    /** Reads the next report of the line; null after the last one, or before one that a sentence quotes. */
    @Nullable
    Kind next() {
        for (int bracket = line.indexOf(PID, at); bracket >= 0; bracket = line.indexOf(PID, at)) {
            at = bracket + PID.length();
            isCut = false;
            Kind kind = takePid() ? kind() : null;
            int marks = marksBefore(bracket);
            if (kind != null) {
                boolean isQuoted = marks > unreadFrom
                        && !PREFIX.matcher(line).region(unreadFrom, bracket).matches();
                isDamaged |= isQuoted || containsReport(line, unreadFrom, bracket);
                prefix = unreadFrom == 0 ? line.substring(0, marks) : prefix;
                unreadFrom = isQuoted ? line.length() : at;
                at = unreadFrom;
                return isQuoted ? null : kind;
            }
            isDamaged |= marks == unreadFrom || isCut;
            at = bracket + PID.length();
        }
        isDamaged |= containsReport(line, unreadFrom, line.length());
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
        for (String[] last : kind.ends) {
            if (take(last)) {
                references = last == FINAL ? 0 : references;
                return true;
            }
        }
        return false;
    }

    private boolean isOver(Kind kind) {
        if (at == line.length() || kind == Kind.REJECTED) {
            return true;
        }
        return kind == Kind.UNKNOWN_FREE
                ? isSpace(line.charAt(at))
                : REST.matcher(line).region(at, line.length()).lookingAt();
    }

    /** Returns whether the line, of which all reports are read, contains one more that cannot be read. */
    boolean isDamaged() {
        return isDamaged;
    }

    /** Returns the prefix of a tool before the mark of the line's first report: a time, a container's name. */
    String prefix() {
        return prefix;
    }

    /** Returns where the marks before a place begin. */
    private int marksBefore(int place) {
        int first = place;
        while (first > unreadFrom && isMark(line.charAt(first - 1))) {
            first--;
        }
        return first;
    }

    private static boolean isMark(char character) {
        return character > 0x7f || isSpace(character) || character == '?' || character == '>';
    }

    /** Takes a form with its fields, or nothing. */
    private boolean take(String[] form) {
        int start = at;
        for (String part : form) {
            if (!take(part)) {
                isCut |= endsWithin(part, start);
                at = start;
                return false;
            }
        }
        return true;
    }

    /** Returns whether the line ends before the end of a part of a form, and after a first character of the form. */
    private boolean endsWithin(String part, int start) {
        int rest = line.length() - at;
        return rest < part.length() && line.length() > start && line.regionMatches(at, part, 0, rest);
    }

    private boolean take(String part) {
        if (part.charAt(0) < ' ') {
            return takeField(part.charAt(0));
        }
        boolean isTaken = line.startsWith(part, at);
        at += isTaken ? part.length() : 0;
        return isTaken;
    }

    private boolean takeField(char field) {
        if (field == TYPE) {
            return takeType();
        }
        if (field == ID) {
            boolean isPrefixed = line.startsWith("0x", at) || line.startsWith("0X", at);
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
        for (BufferType one : TYPES) {
            if (take(one.name())) {
                type = one;
                return true;
            }
        }
        return false;
    }

    private boolean takePid() {
        if (takeNumber()) {
            pid = value;
        } else {
            Matcher placeholder = PLACEHOLDER.matcher(line).region(at, line.length());
            if (!placeholder.lookingAt()) {
                return false;
            }
            at = placeholder.end();
            pid = NO_PID;
        }
        return take("] ");
    }

    private boolean takeNumber() {
        int start = at;
        boolean isNegative = line.startsWith("-", at);
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
        int place = start;
        long sum = 0;
        for (int digit = digit(place, radix); digit >= 0; digit = digit(place, radix)) {
            sum = sum * radix + digit;
            place++;
        }
        value = sum;
        at = place;
        return at > start && (at - start < MAX_SMALL_DIGITS || isExact(start, radix));
    }

    /** Returns whether the number from a place to this one has at most 64 bits. */
    private boolean isExact(int start, int radix) {
        try {
            return Long.parseUnsignedLong(line, start, at, radix) == value;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Returns the value of a digit; negative if there is none. */
    private int digit(int place, int radix) {
        if (place == line.length()) {
            return -1;
        }
        char character = line.charAt(place);
        int digit = character - '0';
        return digit >= 0 && digit < DECIMAL ? digit : radix == DECIMAL ? -1 : Character.digit(character, radix);
    }

    private static boolean isSpace(char character) {
        return character == ' ' || character == '\t';
    }

    /** Returns whether a part of a line contains the words of a report, also where it cannot be read. */
    static boolean containsReport(String line, int from, int to) {
        return to - from >= SHORTEST_WORDS
                && REPORT_WORDS.matcher(line).region(from, to).find();
    }
}
