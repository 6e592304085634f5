package dev.meshguard.verdict.expectation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A word or a quoted text of a line.
 *
 * @param text its content, without quotes and escapes
 * @param column its first column, from 1
 * @param isQuoted whether it was quoted
 */
record Token(String text, int column, boolean isQuoted) {

    /** Makes the error about a part of a line that is no token, of its first column and what is wrong. */
    interface Malformed extends BiFunction<Integer, String, IllegalArgumentException> {}

    /**
     * Returns the tokens of a line, without its comment.
     *
     * @throws IllegalArgumentException made by {@code malformed}, if a part of the line is no token
     */
    static List<Token> of(String line, Malformed malformed) {
        List<Token> tokens = new ArrayList<>();
        int at = 0;
        while (at < line.length() && line.charAt(at) != '#') {
            char character = line.charAt(at);
            if (Character.isWhitespace(character)) {
                at++;
            } else if (character == '"') {
                at = quoted(line, at, tokens, malformed);
            } else {
                at = word(line, at, tokens);
            }
        }
        return tokens;
    }

    private static int word(String line, int start, List<Token> tokens) {
        int end = start;
        while (end < line.length() && line.charAt(end) != '"' && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        tokens.add(new Token(line.substring(start, end), start + 1, false));
        return end;
    }

    private static int quoted(String line, int start, List<Token> tokens, Malformed malformed) {
        StringBuilder text = new StringBuilder();
        int at = start + 1;
        while (at < line.length() && line.charAt(at) != '"') {
            if (line.charAt(at) == '\\') {
                at = escaped(line, at, text, malformed);
            } else {
                text.append(line.charAt(at));
                at++;
            }
        }
        if (at == line.length()) {
            throw malformed.apply(start + 1, "this quoted text has no end: a \" is missing.");
        }
        tokens.add(new Token(text.toString(), start + 1, true));
        return at + 1;
    }

    private static int escaped(String line, int backslash, StringBuilder text, Malformed malformed) {
        char letter = backslash + 1 < line.length() ? line.charAt(backslash + 1) : ' ';
        switch (letter) {
            case '"', '\\' -> text.append(letter);
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'u' -> {
                text.append(codeUnit(line, backslash, malformed));
                return backslash + 6;
            }
            default ->
                throw malformed.apply(
                        backslash + 1, "after a \\ may stand \", \\, n, r, t, or u with four hexadecimal digits.");
        }
        return backslash + 2;
    }

    private static char codeUnit(String line, int backslash, Malformed malformed) {
        int value = 0;
        for (int at = backslash + 2; at < backslash + 6; at++) {
            int digit = at < line.length() ? Character.digit(line.charAt(at), 16) : -1;
            if (digit < 0) {
                throw malformed.apply(backslash + 1, "after \\u stand four hexadecimal digits.");
            }
            value = value * 16 + digit;
        }
        return (char) value;
    }
}
