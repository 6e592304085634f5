package dev.meshguard.cli.common;

import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** A history in JSON Lines on the command line, plain or compressed with gzip or zstd. */
public final class HistoryFile {

    private static final int COMPRESSED_BEGINNING = 1 << 13;
    private static final int BEGINNING = 1 << 8;

    /** In the header that {@link HistoryJson} writes. */
    private static final Pattern FORMAT = Pattern.compile("\"format\"\\s*:\\s*\"meshguard-history\"");

    private HistoryFile() {}

    /**
     * Returns whether the first line is the header of a history. A file whose header is damaged is not one; read as a log,
     * it is inconclusive.
     *
     * @param file the file as a stream that supports marks; it is at its beginning again afterwards
     */
    public static boolean isHistory(InputStream file) throws IOException {
        file.mark(COMPRESSED_BEGINNING);
        byte[] beginning = file.readNBytes(COMPRESSED_BEGINNING);
        file.reset();
        String text = beginningOf(beginning);
        String line = text.startsWith("\uFEFF") ? text.substring(1) : text;
        return line.stripLeading().startsWith("{") && FORMAT.matcher(line).find();
    }

    private static String beginningOf(byte[] file) {
        try {
            InputStream plain = PlainInput.of(new ByteArrayInputStream(file)).stream();
            return new String(plain.readNBytes(BEGINNING), StandardCharsets.UTF_8);
        } catch (IOException damaged) {
            return "";
        }
    }

    /**
     * Reads a stream to its end; it stays open.
     *
     * @param name the name of the file in messages
     */
    public static AllocationHistory read(InputStream file, String name) throws IOException {
        InputStream plain = PlainInput.of(file).stream();
        return HistoryJson.read(new InputStreamReader(plain, StandardCharsets.UTF_8), name);
    }
}
