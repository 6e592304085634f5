package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.meshguard.text.PrintableText;
import org.jspecify.annotations.Nullable;

/** Escapes for JSON: unpaired surrogates, line breaks, and invisible characters. */
public final class PlainEscapes extends CharacterEscapes {

    /** Replaces bytes that are not UTF-8; written as an escape, so an unescaped one in a file is damage. */
    public static final char REPLACEMENT = '\uFFFD';

    private static final long serialVersionUID = 1;
    private static final char DELETE = '\u007f';

    private final String besides;

    /**
     * Creates the escapes.
     *
     * @param besides further ASCII characters with a meaning in the surrounding text
     */
    public PlainEscapes(String besides) {
        this.besides = besides;
    }

    @Override
    @SuppressWarnings("MissingSuperCall")
    public int[] getEscapeCodesForAscii() {
        int[] codes = standardAsciiEscapesForJSON();
        codes[DELETE] = ESCAPE_STANDARD;
        besides.chars().forEach(special -> codes[special] = ESCAPE_STANDARD);
        return codes;
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
        return isSafe((char) character) ? null : new SerializedString(PrintableText.escape((char) character));
    }

    private static boolean isSafe(char character) {
        return PrintableText.isPrintable(character) && character != REPLACEMENT;
    }
}
