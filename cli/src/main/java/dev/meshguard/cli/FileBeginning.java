package dev.meshguard.cli;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.capture.evidence.internal.DecompressedContent;
import dev.meshguard.file.EditedText;
import dev.meshguard.report.internal.JsonSettings;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The beginning of a file without its compression, which shows what kind of JSON the file has.
 *
 * @param text the text
 */
record FileBeginning(String text) {

    /** In the header that {@link dev.meshguard.report.json.HistoryJson} writes. */
    private static final Pattern HISTORY = Pattern.compile("\"format\"\\s*:\\s*\"meshguard-history\"");

    /** A key in each entry of the memory results that tt-mlir's runtime writes. */
    private static final String KEY_OF_MEMORY_RESULTS = "total_bytes_per_bank";

    /**
     * Reads it.
     *
     * @param file the file as a stream that supports marks; it is at its beginning again afterwards
     */
    static FileBeginning of(InputStream file) throws IOException {
        return new FileBeginning(
                EditedText.withoutMark(DecompressedContent.beginning(file).text()));
    }

    /** Returns whether the first line is the header of a history; a file whose header is damaged is read as a log. */
    boolean isHistory() {
        String line = text.lines().findFirst().orElse("");
        return line.stripLeading().startsWith("{") && HISTORY.matcher(line).find();
    }

    /** Returns what the file is if it is one JSON document, for a sentence; JSON in lines is a log. */
    Optional<String> jsonDocument() throws IOException {
        String kind = "without a key";
        try (JsonParser json = JsonSettings.factory().createParser(text)) {
            JsonToken token = json.nextToken();
            if (token == null || !token.isStructStart()) {
                return Optional.empty();
            }
            for (boolean isFirst = true; !json.getParsingContext().inRoot(); token = json.nextToken()) {
                if (token == JsonToken.FIELD_NAME && json.currentName().equals(KEY_OF_MEMORY_RESULTS)) {
                    return Optional.of("with memory results of tt-mlir's runtime");
                }
                if (token == JsonToken.FIELD_NAME && isFirst) {
                    isFirst = false;
                    kind = json.currentName().equals("format")
                            ? "of the format " + Quantities.quoted(String.valueOf(json.nextTextValue()))
                            : "whose first key is " + Quantities.quoted(json.currentName());
                }
            }
            return json.nextToken() == null ? Optional.of(kind) : Optional.empty();
        } catch (JsonProcessingException e) {
            // The file is longer than its beginning, breaks off, or is nested more deeply than the parser allows.
            boolean isJson =
                    !(e instanceof JsonParseException) || e.getLocation().getCharOffset() >= text.length();
            return isJson ? Optional.of(kind) : Optional.empty();
        }
    }
}
