package dev.meshguard.server.log.internal;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The prefix that a tool writes before each line of a log, such as a time and the name of a container.
 *
 * <p>It is learned from the reports, whose words are found after any prefix. Other lines of the server have words that also
 * occur elsewhere, so they must have the prefix of the report before them; only digits may differ.
 */
final class LinePrefix {

    private static final Pattern DIGIT = Pattern.compile("[0-9]");

    private String masked = "";

    /** Learns the prefix of a report. */
    void of(byte[] line, int from, int to) {
        masked = from == to ? "" : masked(new String(line, from, to - from, StandardCharsets.UTF_8));
    }

    /** Returns a line without the prefix, if it has one. */
    String remove(String line) {
        int end = masked.length();
        return end > 0 && line.length() >= end && masked(line.substring(0, end)).equals(masked)
                ? line.substring(end)
                : line;
    }

    private static String masked(String text) {
        return DIGIT.matcher(text).replaceAll("0");
    }
}
