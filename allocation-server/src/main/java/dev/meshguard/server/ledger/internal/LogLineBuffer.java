package dev.meshguard.server.ledger.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Text as bytes, built digit by digit: a server logs a line for every report, and string formatting would take longer
 * than all its other work.
 */
public final class LogLineBuffer {

    /** Receives the written bytes. */
    @FunctionalInterface
    public interface Target {
        /** Receives the first bytes of an array, which is reused afterwards. */
        void take(byte[] bytes, int length) throws IOException;
    }

    private static final int FULL = 1 << 16;
    private static final int DIGITS = 20;
    private static final int SIGNIFICANT = 6;
    private static final int SMALLEST_EXPONENT = -4;
    private static final MathContext SIX_DIGITS = new MathContext(SIGNIFICANT, RoundingMode.HALF_EVEN);

    private final Target target;
    private final byte[] digits = new byte[DIGITS];
    private byte[] bytes = new byte[FULL + 1024];
    private int length;

    /** Creates an empty buffer; its content is passed to the target when it is full, and on a flush. */
    public LogLineBuffer(Target target) {
        this.target = target;
    }

    /** Returns a text in a form that can be appended quickly. */
    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    LogLineBuffer text(byte[] text) {
        reserve(text.length);
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
        return this;
    }

    LogLineBuffer text(String text) {
        return text(utf8(text));
    }

    LogLineBuffer number(long number) {
        if (number >= 0) {
            return unsigned(number);
        }
        reserve(1);
        bytes[length++] = '-';
        return unsigned(-number);
    }

    /** Appends an unsigned number. */
    LogLineBuffer unsigned(long number) {
        int from = DIGITS;
        long rest = number;
        if (rest < 0) {
            long tenth = Long.divideUnsigned(rest, 10);
            digits[--from] = (byte) ('0' + (int) (rest - tenth * 10));
            rest = tenth;
        }
        do {
            long tenth = rest / 10;
            digits[--from] = (byte) ('0' + (int) (rest - tenth * 10));
            rest = tenth;
        } while (rest > 0);
        return digits(from);
    }

    /** Appends a number in lower case, without its {@code 0x}. */
    LogLineBuffer hexadecimal(long number) {
        int from = DIGITS;
        long rest = number;
        do {
            int digit = (int) rest & 0xf;
            digits[--from] = (byte) (digit < 10 ? '0' + digit : 'a' + digit - 10);
            rest >>>= 4;
        } while (rest != 0);
        return digits(from);
    }

    private LogLineBuffer digits(int from) {
        reserve(DIGITS);
        System.arraycopy(digits, from, bytes, length, DIGITS - from);
        length += DIGITS - from;
        return this;
    }

    /** Appends a quotient in C++'s default format: six digits, no zeros at the end. */
    LogLineBuffer figure(long unsignedBytes, long unit) {
        return text(figureOf(unsignedBytes, unit));
    }

    static String figureOf(long unsignedBytes, long unit) {
        BigDecimal rounded = new BigDecimal(doubleOf(unsignedBytes) / unit).round(SIX_DIGITS);
        if (rounded.signum() == 0) {
            return "0";
        }
        BigDecimal shown = rounded.stripTrailingZeros();
        int exponent = shown.precision() - shown.scale() - 1;
        if (exponent >= SMALLEST_EXPONENT && exponent < SIGNIFICANT) {
            return shown.toPlainString();
        }
        String mantissa = shown.scaleByPowerOfTen(-exponent).toPlainString();
        int size = Math.abs(exponent);
        return mantissa + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + size;
    }

    /** The server divides floating-point numbers, in which large ones are already rounded. */
    private static double doubleOf(long unsignedBytes) {
        return unsignedBytes >= 0 ? unsignedBytes : new BigInteger(Long.toUnsignedString(unsignedBytes)).doubleValue();
    }

    /** Ends the line. */
    void end() {
        reserve(1);
        bytes[length++] = '\n';
        if (length >= FULL) {
            flush();
        }
    }

    /**
     * Passes the content to the target.
     *
     * @throws UncheckedIOException if the target does not accept it; the content is then lost
     */
    public void flush() {
        if (length == 0) {
            return;
        }
        int written = length;
        length = 0;
        try {
            target.take(bytes, written);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
