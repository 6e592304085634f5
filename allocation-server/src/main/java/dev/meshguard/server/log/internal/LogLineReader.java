package dev.meshguard.server.log.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log line by line, as bytes.
 *
 * <p>Nearly all relevant text of a log is ASCII, and other characters may be damaged; only text that is examined is
 * therefore decoded. Only one block is in memory, regardless of the length of the log or of a line.
 */
public final class LogLineReader {

    /** No line of a server is a tenth as long; longer ones are truncated. */
    private static final int MAX_LINE_LENGTH = 1 << 16;

    private static final byte ESCAPE = 0x1b;

    /** A command ends after a letter if {@code [} begins it, after a bell or an escape if {@code ]} does, else after its first byte. */
    private static final Pattern COMMAND =
            Pattern.compile("(?s)\u001b(?:\\[[^@-~]*[@-~]|\\][^\u0007\u001b]*[\u0007\u001b]|\\(.|[^\\[\\](])?");

    private final InputStream in;
    private final boolean isCompressed;
    private final byte[] block = new byte[MAX_LINE_LENGTH];
    private int next;
    private int filled;
    private boolean atEnd;
    private @Nullable String damage;

    private int from;
    private int to;
    private long number;
    private boolean isTooLong;
    private boolean hasNul;
    private boolean hasEscape;
    private boolean isTerminated;
    private boolean hasUnreadReport;

    private LogLineReader(InputStream in, boolean isCompressed) {
        this.in = in;
        this.isCompressed = isCompressed;
    }

    /** Starts reading; gzip is recognized by its first bytes. */
    public static LogLineReader of(InputStream raw) throws IOException {
        PlainInput plain = PlainInput.of(raw);
        LogLineReader lines = new LogLineReader(plain.stream(), plain.isCompressed());
        lines.damage = plain.damage().orElse(null);
        return lines;
    }

    /** Moves to the next line; returns whether there is one. */
    public boolean next() throws IOException {
        isTooLong = false;
        hasNul = false;
        hasEscape = false;
        hasUnreadReport = false;
        int searched = next;
        while (true) {
            for (int at = searched; at < filled; at++) {
                if (block[at] == '\n') {
                    return found(at, at + 1, true);
                }
                hasNul |= block[at] == 0;
                hasEscape |= block[at] == ESCAPE;
            }
            searched = filled;
            if (next > 0) {
                System.arraycopy(block, next, block, 0, filled - next);
                filled -= next;
                searched -= next;
                next = 0;
            }
            if (filled == MAX_LINE_LENGTH) {
                isTooLong = true;
                hasUnreadReport |= BufferReportLine.containsReport(block, 0, filled);
                System.arraycopy(
                        block, filled - BufferReportLine.LONGEST_WORDS, block, 0, BufferReportLine.LONGEST_WORDS);
                filled = BufferReportLine.LONGEST_WORDS;
                searched = filled;
            }
            if (!fill()) {
                return (filled > 0 || isTooLong) && found(filled, filled, false);
            }
        }
    }

    private boolean fill() throws IOException {
        if (atEnd) {
            return false;
        }
        int read;
        try {
            read = in.read(block, filled, MAX_LINE_LENGTH - filled);
        } catch (EOFException | ZipException e) {
            if (!isCompressed) {
                throw e;
            }
            damage = PlainInput.BROKEN;
            read = -1;
        }
        atEnd = read < 0;
        filled += Math.max(read, 0);
        if (number == 0 && isUtf16()) {
            throw new IOException(
                    "It is UTF-16, as PowerShell's > writes it, and logs are UTF-8. Convert it first: iconv -f UTF-16 -t UTF-8"
                            + " LOG | meshguard analyze -");
        }
        return !atEnd;
    }

    /** Returns whether the file begins with the mark of UTF-16, or with two ASCII characters in it. */
    private boolean isUtf16() {
        if (filled < 4) {
            return false;
        }
        int mark = ((block[0] & 0xff) << 8) | (block[1] & 0xff);
        boolean isAscii = (block[0] == 0) != (block[1] == 0);
        return mark == 0xfeff
                || mark == 0xfffe
                || (isAscii && (block[0] == 0) == (block[2] == 0) && (block[1] == 0) == (block[3] == 0));
    }

    private boolean found(int end, int following, boolean terminated) {
        from = next;
        to = end;
        while (to > from && block[to - 1] == '\r') {
            to--;
        }
        to = hasEscape ? removeEscapes() : to;
        hasUnreadReport |= isTooLong && BufferReportLine.containsReport(block, from, to);
        next = following;
        number++;
        isTerminated = terminated;
        return true;
    }

    /** Removes the colours and other commands to a terminal from the line; returns its new end. */
    private int removeEscapes() {
        String line = new String(block, from, to - from, StandardCharsets.ISO_8859_1);
        byte[] kept = COMMAND.matcher(line)
                .replaceAll(command -> Matcher.quoteReplacement(withoutEscape(command.group())))
                .getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(kept, 0, block, from, kept.length);
        return from + kept.length;
    }

    /** A damaged byte may look like the beginning of a command: one that contains a report is text. */
    private static String withoutEscape(String command) {
        byte[] bytes = command.getBytes(StandardCharsets.ISO_8859_1);
        return BufferReportLine.containsReport(bytes, 0, bytes.length) ? command.substring(1) : "";
    }

    /** Returns the buffer that contains the line, from {@link #from()} to {@link #to()}; valid until the next line. */
    byte[] bytes() {
        return block;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    /** Returns the number of the line, from 1; 0 before the first. */
    public long number() {
        return number;
    }

    /** Returns whether the line was longer than the limit; only its end is available. */
    boolean isTooLong() {
        return isTooLong;
    }

    /** Returns whether the line is longer than the limit, and contains a report. */
    boolean hasUnreadReport() {
        return hasUnreadReport;
    }

    /**
     * Returns whether the line contains a zero byte, which no log has: the space was reserved in the file and never
     * written.
     */
    boolean hasNul() {
        return hasNul;
    }

    /** Returns whether a line break follows. */
    boolean isTerminated() {
        return isTerminated;
    }

    /** Returns the damage to the file, if there is any. */
    Optional<String> damage() {
        return Optional.ofNullable(damage);
    }

    /** Returns the line as text; invalid UTF-8 is replaced. */
    String text() {
        return new String(block, from, to - from, StandardCharsets.UTF_8);
    }

    boolean isBlank() {
        for (int at = from; at < to; at++) {
            if (block[at] != ' ' && block[at] != '\t') {
                return false;
            }
        }
        return !isTooLong;
    }
}
