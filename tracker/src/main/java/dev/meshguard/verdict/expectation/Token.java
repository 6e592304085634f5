package dev.meshguard.verdict.expectation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A word or a quoted text of a line.
 *
 * @param text its content, without quotes and escapes
 * @param column its first column, from 1
 * @param isQuoted whether it was quoted
 */
record Token(String text, int column, boolean isQuoted) {

    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:([\"\\\\nrt])|u(\\p{XDigit}{4}))");

    /** A quoted text up to its closing quote, or to what cannot be part of it. */
    private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]++|" + ESCAPE + ")*+)(\")?");

    private static final Pattern WORD = Pattern.compile("[^\"\\p{javaWhitespace}]+");

    /**
     * Returns the tokens of a line, without its comment.
     *
     * @param malformed makes the error about a part of the line that is no token, of its first column and what is wrong
     */
    static List<Token> of(String line, BiFunction<Integer, String, IllegalArgumentException> malformed) {
        List<Token> tokens = new ArrayList<>();
        int at = 0;
        while (at < line.length() && line.charAt(at) != '#') {
            Matcher quoted = QUOTED.matcher(line).region(at, line.length());
            Matcher word = WORD.matcher(line).region(at, line.length());
            if (quoted.lookingAt()) {
                if (quoted.group(4) == null) {
                    throw malformed(line, at, quoted.end(), malformed);
                }
                tokens.add(new Token(ESCAPE.matcher(quoted.group(1)).replaceAll(Token::unescaped), at + 1, true));
                at = quoted.end();
            } else if (word.lookingAt()) {
                tokens.add(new Token(word.group(), at + 1, false));
                at = word.end();
            } else {
                at++;
            }
        }
        return tokens;
    }

    private static String unescaped(MatchResult escape) {
        if (escape.group(1) == null) {
            return Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(2), 16)));
        }
        return switch (escape.group(1)) {
            case "n" -> "\n";
            case "r" -> "\r";
            case "t" -> "\t";
            default -> Matcher.quoteReplacement(escape.group(1));
        };
    }

    private static IllegalArgumentException malformed(
            String line, int start, int end, BiFunction<Integer, String, IllegalArgumentException> malformed) {
        if (end == line.length()) {
            return malformed.apply(start + 1, "this quoted text has no end: a \" is missing.");
        }
        return malformed.apply(
                end + 1,
                line.startsWith("\\u", end)
                        ? "after \\u stand four hexadecimal digits."
                        : "after a \\ may stand \", \\, n, r, t, or u with four hexadecimal digits.");
    }
}
