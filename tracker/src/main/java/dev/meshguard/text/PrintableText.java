package dev.meshguard.text;

import java.util.Collection;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Escapes text from outside so that a terminal shows each character and obeys none.
 *
 * <p>Labels, phases, stack frames, file names and log lines may hold escape sequences, line separators or marks that
 * reverse the writing direction. Each UTF-16 unit of these is replaced by {@code \}{@code u} with four hexadecimal
 * digits, as in Java and JSON.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class PrintableText {

    private PrintableText() {}

    /**
     * Returns whether a code point is printed unchanged: it is no control, format character, line separator or half of
     * a pair.
     */
    public static boolean isPrintable(int codePoint) {
        if (codePoint >= ' ' && codePoint < '\u007f') {
            return true;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** Returns the escape of one UTF-16 unit that is not printable. */
    public static String escape(char unit) {
        return InvariantText.of("\\u%04x", (int) unit);
    }

    /** Returns a text as one line; line breaks and tabs in it are escaped too. */
    public static String line(String text) {
        if (text.codePoints().allMatch(PrintableText::isPrintable)) {
            return text;
        }
        StringBuilder line = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(codePoint -> {
            if (isPrintable(codePoint)) {
                line.appendCodePoint(codePoint);
            } else {
                for (char unit : Character.toChars(codePoint)) {
                    line.append(escape(unit));
                }
            }
        });
        return line.toString();
    }

    /** Returns lines as one text, without a line break at the end. */
    public static String lines(Collection<String> lines) {
        return lines.stream().map(PrintableText::line).collect(Collectors.joining("\n"));
    }
}
