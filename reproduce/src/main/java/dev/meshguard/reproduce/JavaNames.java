package dev.meshguard.reproduce;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.lang.model.SourceVersion;

/** Converts arbitrary texts to Java names and literals that cannot be interpreted as code. */
final class JavaNames {

    private static final int MAX_LENGTH = 40;
    /** A constant has at most 65,535 bytes, and a character at most three. */
    private static final int MAX_LITERAL_LENGTH = 21_845;

    private static final char FIRST_PRINTED = ' ';
    private static final char LAST_PRINTED = '~';
    /** Characters with a meaning in a comment or in its HTML. */
    private static final String NOT_IN_COMMENTS = "\\*/<>&@{}";

    private JavaNames() {}

    /**
     * Returns a text as an ASCII expression, which compiles in every encoding: a literal, or several if the text is
     * longer than a constant of a class file can be.
     */
    static String literal(String text) {
        StringBuilder expression =
                new StringBuilder(quoted(text.substring(0, Math.min(MAX_LITERAL_LENGTH, text.length()))));
        for (int from = MAX_LITERAL_LENGTH; from < text.length(); from += MAX_LITERAL_LENGTH) {
            int to = Math.min(from + MAX_LITERAL_LENGTH, text.length());
            expression
                    .append(".concat(")
                    .append(quoted(text.substring(from, to)))
                    .append(')');
        }
        return expression.toString();
    }

    private static String quoted(String text) {
        StringBuilder literal = new StringBuilder("\"");
        text.chars().forEach(character -> {
            switch (character) {
                case '"' -> literal.append("\\\"");
                case '\\' -> literal.append("\\\\");
                case '\n' -> literal.append("\\n");
                case '\r' -> literal.append("\\r");
                case '\t' -> literal.append("\\t");
                default ->
                    literal.append(
                            isPrinted(character)
                                    ? String.valueOf((char) character)
                                    : String.format(Locale.ROOT, "\\u%04x", character));
            }
        });
        return literal.append('"').toString();
    }

    /** Returns a text in a form that is safe in a comment. */
    static String comment(String text) {
        StringBuilder comment = new StringBuilder();
        text.chars()
                .forEach(character -> comment.append(
                        isPrinted(character) && NOT_IN_COMMENTS.indexOf(character) < 0 ? (char) character : '?'));
        return comment.toString();
    }

    /** Returns the words of a text as a name in camel case; empty if there are none. */
    static String camelCase(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            boolean isLetter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
            if (isLetter || (character >= '0' && character <= '9' && !(words.isEmpty() && word.length() == 0))) {
                word.append(character);
            } else if (word.length() > 0) {
                words.add(word.toString());
                word.setLength(0);
            }
        }
        if (word.length() > 0) {
            words.add(word.toString());
        }
        StringBuilder name = new StringBuilder();
        for (String next : words) {
            String plain = next.equals(next.toUpperCase(Locale.ROOT)) ? next.toLowerCase(Locale.ROOT) : next;
            name.append(name.length() == 0 ? lowerFirst(plain) : upperFirst(plain));
        }
        return name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) : name.toString();
    }

    /** Returns a free name, and marks it as used. */
    static String free(String wish, Set<String> taken) {
        String base = SourceVersion.isKeyword(wish) ? wish + "Buffer" : wish;
        String name = base;
        for (int number = 2; !taken.add(name); number++) {
            name = base + number;
        }
        return name;
    }

    static String upperFirst(String name) {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    private static String lowerFirst(String name) {
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private static boolean isPrinted(int character) {
        return character >= FIRST_PRINTED && character <= LAST_PRINTED;
    }
}
