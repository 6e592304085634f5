package dev.meshguard.server.log.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The prefix that a tool writes before each line of a log, such as a time and the name of a container.
 *
 * <p>It is learned from the reports, whose words are found after any prefix. Other lines of the server have words that also
 * occur elsewhere, so they must have the prefix of the report before them; only numbers may differ.
 */
final class LinePrefix {

    private static final String NUMBER = "[0-9]+";

    /** The text that Docker and loggers in JSON write after a line. */
    private static final Pattern END_OF_VALUE = Pattern.compile("(?:\\\\[nr])*\".*");

    private String learned = "";

    /** Learns the prefix of a report; returns whether it has one. */
    boolean learn(byte[] line, int from, int to) {
        learned = from == to ? "" : new String(line, from, to - from, StandardCharsets.UTF_8);
        return from < to;
    }

    String learned() {
        return learned;
    }

    /** Returns a line without the prefix, and without what follows a value in JSON, if it has the prefix. */
    String remove(String line) {
        if (learned.isEmpty()) {
            return line;
        }
        String form =
                Arrays.stream(learned.split(NUMBER, -1)).map(Pattern::quote).collect(Collectors.joining(NUMBER));
        Matcher prefix = Pattern.compile(form).matcher(line);
        if (!prefix.lookingAt()) {
            return line;
        }
        String rest = line.substring(prefix.end());
        return learned.endsWith("\"") ? END_OF_VALUE.matcher(rest).replaceFirst("") : rest;
    }
}
