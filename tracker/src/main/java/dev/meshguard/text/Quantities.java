package dev.meshguard.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.StringJoiner;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Adds sizes, and formats sizes, addresses and counts, the same in every locale.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Quantities {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final int UNIT = 1024;

    private Quantities() {}

    /** Returns the sum of two sizes, at most {@link Long#MAX_VALUE}. */
    public static long saturatedSum(long bytes, long more) {
        return bytes > Long.MAX_VALUE - more ? Long.MAX_VALUE : bytes + more;
    }

    /** Returns a size with its exact number of bytes: {@code 12 KiB (12288 B)}; below one KiB only the bytes. */
    public static String size(long bytes) {
        return Math.abs(bytes) < UNIT ? bytes + " B" : shortSize(bytes) + " (" + bytes + " B)";
    }

    /** Returns a size rounded to two digits after the point: {@code 14.04 MiB}. */
    public static String shortSize(long bytes) {
        BigDecimal value = BigDecimal.valueOf(bytes);
        BigDecimal unit = BigDecimal.valueOf(UNIT);
        int power = 0;
        while (value.abs().compareTo(unit) >= 0) {
            value = value.divide(unit);
            power++;
        }
        return value.setScale(2, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString() + ' ' + UNITS[power];
    }

    /** Returns an address, which has no sign, in hexadecimal and decimal: {@code 0x3ffff800 (1073739776)}. */
    public static String address(long address) {
        return "0x" + Long.toHexString(address) + " (" + Long.toUnsignedString(address) + ")";
    }

    /** Returns a count with its noun: {@code 1 buffer}, {@code 3 buffers}. */
    public static String count(long count, String noun) {
        return count + " " + (count == 1 ? noun : noun + "s");
    }

    /**
     * Returns ascending numbers as ranges: {@code 0-3,5}.
     *
     * @param separator the text between two ranges
     */
    public static String ranges(List<Integer> numbers, String separator) {
        StringJoiner ranges = new StringJoiner(separator);
        int first = 0;
        for (int last = 0; last < numbers.size(); last++) {
            boolean goesOn = last + 1 < numbers.size() && numbers.get(last + 1) == numbers.get(last) + 1;
            if (!goesOn) {
                ranges.add(numbers.get(first) + (last == first ? "" : "-" + numbers.get(last)));
                first = last + 1;
            }
        }
        return ranges.toString();
    }

    /**
     * Returns a text as a Java literal: {@code "kv-cache"}.
     *
     * <p>A user's text stays on its line, and a pasted entry compiles.
     */
    public static String quoted(String text) {
        StringBuilder literal = new StringBuilder("\"");
        text.codePoints().forEach(character -> {
            switch (character) {
                case '"' -> literal.append("\\\"");
                case '\\' -> literal.append("\\\\");
                case '\n' -> literal.append("\\n");
                case '\r' -> literal.append("\\r");
                case '\t' -> literal.append("\\t");
                default -> literal.append(PrintableText.line(Character.toString(character)));
            }
        });
        return literal.append('"').toString();
    }
}
