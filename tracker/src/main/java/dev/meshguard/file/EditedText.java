package dev.meshguard.file;

import dev.meshguard.text.InvariantText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reads texts as editors and spreadsheets save them.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class EditedText {

    private static final String BYTE_ORDER_MARK = "\ufeff";

    private EditedText() {}

    /**
     * Returns the text of a file in UTF-8.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if the file is not in UTF-8
     */
    public static String read(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException notText) {
            throw new IllegalArgumentException(
                    InvariantText.of("%s is not in UTF-8: save it as UTF-8.", file), notText);
        }
    }

    /** Returns a text without the byte order mark with which some programs begin a file. */
    public static String withoutMark(String text) {
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
    }
}
