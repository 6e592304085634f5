package dev.meshguard.report.json;

import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;

/** Reads lines one after another into one buffer, which the next line overwrites. */
final class Lines {

    private static final int CHUNK = 1 << 16;

    private final Reader reader;
    private final int longest;
    private char[] buffer = new char[CHUNK];
    private int start;
    private int filled;
    private int lineStart;
    private int length;
    private long number;
    private boolean tooLong;
    private boolean atEnd;

    Lines(Reader reader, int longest) {
        this.reader = reader;
        this.longest = longest;
    }

    /** Moves to the next line and returns whether there is one. */
    boolean next() throws IOException {
        int begin = start;
        int scanned = begin;
        boolean cut = false;
        while (true) {
            int end = indexOfBreak(scanned);
            if (end >= 0 || (atEnd && (filled > begin || cut))) {
                int behind = end >= 0 ? end : filled;
                length = behind - begin - (behind > begin && buffer[behind - 1] == '\r' ? 1 : 0);
                lineStart = begin;
                start = end >= 0 ? end + 1 : filled;
                tooLong = cut;
                number++;
                return true;
            }
            if (atEnd) {
                return false;
            }
            if (filled - begin > longest) {
                cut = true;
                filled = begin;
            }
            scanned = filled - begin;
            fill(begin);
            begin = 0;
        }
    }

    char[] characters() {
        return buffer;
    }

    int offset() {
        return lineStart;
    }

    int length() {
        return length;
    }

    /** Returns the number of the line, from 1. */
    long number() {
        return number;
    }

    /** Returns whether the line exceeds the buffer; only the end of such a line is available. */
    boolean isTooLong() {
        return tooLong;
    }

    boolean isBlank() {
        for (int i = lineStart; i < lineStart + length; i++) {
            if (buffer[i] > ' ' && buffer[i] != '\uFEFF') {
                return false;
            }
        }
        return !tooLong;
    }

    boolean contains(char character) {
        for (int i = lineStart; i < lineStart + length; i++) {
            if (buffer[i] == character) {
                return true;
            }
        }
        return false;
    }

    private int indexOfBreak(int from) {
        for (int i = from; i < filled; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Moves the remaining characters to the front and reads more behind them. */
    private void fill(int begin) throws IOException {
        int left = filled - begin;
        if (left > buffer.length / 2) {
            buffer = Arrays.copyOfRange(buffer, begin, begin + buffer.length * 2);
        } else if (begin > 0) {
            System.arraycopy(buffer, begin, buffer, 0, left);
        }
        int read = reader.read(buffer, left, buffer.length - left);
        atEnd = read < 0;
        filled = left + Math.max(read, 0);
    }
}
