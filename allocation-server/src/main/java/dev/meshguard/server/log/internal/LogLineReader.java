package dev.meshguard.server.log.internal;

import dev.meshguard.capture.compression.internal.DecompressedInput;
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
 * Reads a log line by line, with a character for each byte.
 *
 * <p>Nearly all relevant text of a log is ASCII, and other characters may be damaged; only text that is examined is
 * therefore decoded. Only one block is in memory, regardless of the length of the log or of a line.
 */
public final class LogLineReader {

    /** No line of a server is a tenth as long; longer ones are truncated. */
    private static final int MAX_LINE_LENGTH = 1 << 16;

    private static final char ESCAPE = 0x1b;

    /** A command ends after a letter if {@code [} begins it, after a bell or an escape if {@code ]} does, else after its first byte. */
    private static final Pattern COMMAND =
            Pattern.compile("(?s)\u001b(?:\\[[^@-~]*[@-~]|\\][^\u0007\u001b]*[\u0007\u001b]|\\(.|[^\\[\\](])?");

    /** The mark of UTF-16, or two ASCII characters in it. */
    private static final Pattern UTF_16 =
            Pattern.compile("(?s)(?:\u00fe\u00ff|\u00ff\u00fe)..|\0[^\0]\0[^\0]|[^\0]\0[^\0]\0");

    private final InputStream raw;
    /** Null until the first byte is read. */
    private @Nullable InputStream plain;

    private final byte[] block = new byte[MAX_LINE_LENGTH];
    private int next;
    private int filled;
    private boolean atEnd;
    private @Nullable String damage;

    private long number;
    private boolean isTooLong;
    private boolean hasNul;
    private boolean isTerminated;
    private boolean hasUnreadReport;

    /** Creates a reader; gzip is recognized by its first bytes. */
    public LogLineReader(InputStream raw) {
        this.raw = raw;
    }

    /**
     * Returns the next line without its line break and the commands to a terminal, or null after the last.
     *
     * <p>Only the end of a line that is too long is returned.
     */
    @Nullable
    String next() throws IOException {
        isTooLong = false;
        hasNul = false;
        hasUnreadReport = false;
        int end = next;
        while (true) {
            while (end < filled && block[end] != '\n') {
                end++;
            }
            isTerminated = end < filled;
            if (isTerminated || atEnd) {
                return next == filled && !isTooLong ? null : line(end);
            }
            if (next > 0) {
                keep(next);
            } else if (filled == MAX_LINE_LENGTH) {
                isTooLong = true;
                inspect(text(0, filled));
                keep(filled - BufferReportLine.LONGEST_WORDS);
            }
            end = filled;
            fill();
        }
    }

    /** Moves the bytes from a place on to the beginning of the block. */
    private void keep(int from) {
        System.arraycopy(block, from, block, 0, filled - from);
        filled -= from;
        next = 0;
    }

    private void fill() throws IOException {
        int read;
        try {
            plain = plain == null ? DecompressedInput.of(raw) : plain;
            read = plain.read(block, filled, MAX_LINE_LENGTH - filled);
        } catch (EOFException | ZipException e) {
            damage = DecompressedInput.BROKEN;
            read = -1;
        }
        atEnd = read < 0;
        filled += Math.max(read, 0);
        if (number == 0 && UTF_16.matcher(text(0, Math.min(filled, 4))).matches()) {
            throw new IOException(
                    "It is UTF-16, as PowerShell's > writes it, and logs are UTF-8. Convert it first: iconv -f UTF-16 -t UTF-8"
                            + " LOG | meshguard analyze -");
        }
    }

    private String line(int end) {
        int to = end;
        while (to > next && block[to - 1] == '\r') {
            to--;
        }
        String line = text(next, to);
        next = isTerminated ? end + 1 : end;
        number++;
        inspect(line);
        if (line.indexOf(ESCAPE) >= 0) {
            line = withoutCommands(line);
            inspect(line);
        }
        return line;
    }

    private void inspect(String part) {
        hasNul |= part.indexOf(0) >= 0;
        hasUnreadReport |= isTooLong && BufferReportLine.containsReport(part, 0, part.length());
    }

    /** Removes the colours and other commands. A damaged byte may look like the beginning of one: one that contains a report is text. */
    private static String withoutCommands(String line) {
        return COMMAND.matcher(line).replaceAll(found -> {
            String command = found.group();
            boolean isText = BufferReportLine.containsReport(command, 0, command.length());
            return isText ? Matcher.quoteReplacement(command.substring(1)) : "";
        });
    }

    private String text(int from, int to) {
        return new String(block, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Returns the number of the line, from 1; 0 before the first. */
    long number() {
        return number;
    }

    /** Returns whether the line was longer than the limit. */
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
}
