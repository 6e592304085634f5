package dev.meshguard.server.log.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the two lines that nearly all of a log consists of: that a buffer was allocated, and that it was freed, to the letter as the
 * server writes it.
 *
 * <p>It says nothing that {@link ReportLine} would not say of the same line. It is there because a log is read by a virtual machine
 * that has just begun: its compiler is done with one loop over a form long before it is done with all that a line might be. For the
 * same reason the loop is one method, which is too long to be compiled into each of its callers again.
 */
final class UsualLines {

    /** What {@link #read} answers where no usual report begins. */
    static final int NONE = -1;

    /** How many bytes have to be behind the last one of a line, whatever is in them. */
    static final int ROOM = Long.BYTES;

    private static final int LONGEST_MARK = 16;
    private static final int MOST_DIGITS = 18;
    private static final int MOST_HEX_DIGITS = 16;

    // Steps that are no words.
    private static final int NUMBER = 0;
    private static final int ID = -1;
    private static final int TYPE = -2;
    /** Goes on with the step of a free if none was allocated. */
    private static final int ALLOCATED_OR_FREED = -3;
    /** Goes on with the references if there are more than one. */
    private static final int CLOSED_OR_REFERENCES = -4;
    /** Goes on with the references if any are left. */
    private static final int FINAL_OR_REFERENCES = -5;

    private static final int DONE = -6;

    private static final Object[] FORM = {
        "[PID ",
        NUMBER,
        ALLOCATED_OR_FREED,
        "] Allocated ",
        NUMBER,
        " bytes of ",
        TYPE,
        " on device ",
        NUMBER,
        " (buffer_id=",
        ID,
        CLOSED_OR_REFERENCES,
        ", ref_count=",
        NUMBER,
        ")",
        DONE,
        "] Freed buffer ",
        ID,
        " on device ",
        NUMBER,
        " (",
        NUMBER,
        " bytes, ",
        FINAL_OR_REFERENCES,
        "FINAL)",
        DONE,
        "ref_count=",
        NUMBER,
        " remaining)",
        DONE
    };

    private static final int FREED_STEP = stepOf("] Freed buffer ");
    private static final int LEFT_STEP = stepOf("ref_count=");
    private static final int LAST_STEP = FORM.length - 1;

    /** What each step is: so many letters, or a step that is no word. */
    private static final int[] STEPS = new int[FORM.length];

    /** The first eight letters of a word and, if it has more, the last eight. */
    private static final long[] HEADS = new long[FORM.length];

    private static final long[] TAILS = new long[FORM.length];
    private static final long[] MASKS = new long[FORM.length];

    static {
        for (int step = 0; step < FORM.length; step++) {
            if (FORM[step] instanceof String word) {
                STEPS[step] = word.length();
                HEADS[step] = letters(word.substring(0, Math.min(word.length(), Long.BYTES)));
                TAILS[step] = letters(word.substring(Math.max(0, word.length() - Long.BYTES)));
                MASKS[step] = word.length() < Long.BYTES ? (1L << (word.length() * Byte.SIZE)) - 1 : -1;
            } else {
                STEPS[step] = (int) FORM[step];
            }
        }
    }

    /** The value of each character as a hexadecimal digit; below 0 if it is none. */
    private static final byte[] DIGITS = digits();

    private final byte[] bytes;
    private final ByteBuffer words;
    private final long[] numbers = new long[5];

    /** Prepares to read lines that are in these bytes. */
    UsualLines(byte[] bytes) {
        this.bytes = bytes;
        this.words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Reads a report.
     *
     * @param from where its line begins
     * @param to where the line, or what is known of it, is over
     * @param report is filled with what the line says, if it is such a report
     * @return where the report is over, or {@link #NONE} if no usual one is there
     */
    int read(int from, int to, ReportLine report) {
        byte[] line = bytes;
        ByteBuffer eight = words;
        long[] found = numbers;
        int next = from;
        while (next < to && (line[next] < 0 || line[next] == ' ') && next - from < LONGEST_MARK) {
            next++;
        }
        int count = 0;
        int step = 0;
        int type = 0;
        boolean isFree = false;
        boolean isPrefixed = false;
        int wanted = STEPS[step];
        while (wanted != DONE) {
            if (wanted > 0) {
                if (to - next < wanted
                        || (eight.getLong(next) & MASKS[step]) != HEADS[step]
                        || (wanted > Long.BYTES && eight.getLong(next + wanted - Long.BYTES) != TAILS[step])) {
                    return NONE;
                }
                next += wanted;
            } else if (wanted >= ID) {
                int radix = 10;
                if (wanted == ID) {
                    isPrefixed = next + 1 < to && line[next] == '0' && line[next + 1] == 'x';
                    radix = isPrefixed ? 16 : 10;
                    next += isPrefixed ? 2 : 0;
                }
                int start = next;
                long number = 0;
                while (next < to && line[next] >= 0) {
                    int digit = DIGITS[line[next]];
                    if (digit < 0 || digit >= radix) {
                        break;
                    }
                    number = number * radix + digit;
                    next++;
                }
                if (next == start || next - start > (radix == 16 ? MOST_HEX_DIGITS : MOST_DIGITS)) {
                    return NONE;
                }
                found[count++] = number;
            } else if (next + 2 >= to && wanted != CLOSED_OR_REFERENCES) {
                return NONE;
            } else if (wanted == TYPE) {
                int named = ReportLine.typeAt(line, next, to);
                if (named < 0) {
                    return NONE;
                }
                type = ReportLine.TYPES[named].ordinal();
                next += ReportLine.TYPE_NAMES[named].length;
            } else if (wanted == ALLOCATED_OR_FREED) {
                isFree = line[next + 2] != 'A';
                step = isFree ? FREED_STEP - 1 : step;
            } else if (wanted == FINAL_OR_REFERENCES) {
                step = line[next] == 'F' ? step : LEFT_STEP - 1;
            } else if (next < to && line[next] == ')') {
                next++;
                step = LAST_STEP - 1;
            }
            step++;
            wanted = STEPS[step];
        }
        int device = (int) found[2];
        if (device != found[2]) {
            return NONE;
        }
        report.isFree = isFree;
        report.pid = found[0];
        report.device = device;
        report.id = found[isFree ? 1 : 3];
        report.isHexadecimal = isPrefixed;
        report.size = found[isFree ? 3 : 1];
        report.references = count > 4 ? found[4] : 0;
        if (isFree) {
            report.saysWhatIsLeft = true;
        } else {
            report.type = type;
        }
        return next;
    }

    private static int stepOf(String word) {
        for (int step = 0; step < FORM.length; step++) {
            if (word.equals(FORM[step])) {
                return step;
            }
        }
        throw new IllegalArgumentException(word);
    }

    private static long letters(String word) {
        byte[] eight = Arrays.copyOf(word.getBytes(StandardCharsets.US_ASCII), Long.BYTES);
        return ByteBuffer.wrap(eight).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private static byte[] digits() {
        byte[] digits = new byte[Byte.MAX_VALUE + 1];
        for (int character = 0; character < digits.length; character++) {
            digits[character] = (byte) Character.digit(character, 16);
        }
        return digits;
    }
}
