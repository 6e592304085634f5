package dev.meshguard.report.json;

import java.io.IOException;
import java.io.Reader;

/** Reads lines one after another, however long they are; of a line that is too long it keeps the beginning. */
final class Lines {

    private final Reader reader;
    private final int longest;
    private final char[] buffer = new char[1 << 16];
    private int begin;
    private int filled;

    private String text = "";
    private long number;
    private boolean tooLong;

    Lines(Reader reader, int longest) {
        this.reader = reader;
        this.longest = longest;
    }

    /** Moves to the next line that is not blank, and returns whether there is one. */
    boolean next() throws IOException {
        boolean any = read();
        while (any && text.isBlank() && !tooLong) {
            any = read();
        }
        return any;
    }

    private boolean read() throws IOException {
        StringBuilder line = new StringBuilder();
        tooLong = false;
        boolean any = false;
        boolean isEnded = false;
        while (!isEnded && (begin < filled || fill())) {
            any = true;
            int end = begin;
            while (end < filled && buffer[end] != '\n') {
                end++;
            }
            isEnded = end < filled;
            int kept = Math.min(end - begin, longest - line.length());
            tooLong |= kept < end - begin;
            line.append(buffer, begin, kept);
            begin = isEnded ? end + 1 : end;
        }
        text = withoutMarks(line);
        number += any ? 1 : 0;
        return any;
    }

    private boolean fill() throws IOException {
        begin = 0;
        filled = Math.max(0, reader.read(buffer));
        return filled > 0;
    }

    private static String withoutMarks(StringBuilder line) {
        int first = line.length() > 0 && line.charAt(0) == '\uFEFF' ? 1 : 0;
        int last = line.length() > first && line.charAt(line.length() - 1) == '\r' ? 1 : 0;
        return line.substring(first, line.length() - last);
    }

    /** Returns the line, without a byte order mark and a line break. */
    String text() {
        return text;
    }

    /** Returns the number of the line, from 1. */
    long number() {
        return number;
    }

    /** Returns whether the line is longer than the limit. */
    boolean isTooLong() {
        return tooLong;
    }
}
