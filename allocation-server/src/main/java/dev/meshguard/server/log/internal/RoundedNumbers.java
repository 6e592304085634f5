package dev.meshguard.server.log.internal;

import java.math.BigDecimal;

/** Numbers in the server's format: six digits, so a figure matches all values that are rounded to it. */
final class RoundedNumbers {

    static final long KILOBYTE = 1024;
    static final long MEGABYTE = 1024 * 1024;

    private RoundedNumbers() {}

    /** Returns whether a number of bytes, in the given unit, has this printed form. */
    static boolean fits(String printed, long bytes, long unit) {
        BigDecimal figure = new BigDecimal(printed);
        BigDecimal halfDigit = figure.ulp().divide(BigDecimal.valueOf(2));
        BigDecimal difference = BigDecimal.valueOf(bytes).subtract(figure.multiply(BigDecimal.valueOf(unit)));
        return difference.abs().compareTo(halfDigit.multiply(BigDecimal.valueOf(unit))) <= 0;
    }

    static boolean isZero(String printed) {
        return new BigDecimal(printed).signum() == 0;
    }
}
