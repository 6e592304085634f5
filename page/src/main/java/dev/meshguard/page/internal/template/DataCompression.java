package dev.meshguard.page.internal.template;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPOutputStream;

/** Compresses long data of a page to Base64; the browser inflates it. */
final class DataCompression {

    /** Above this length inflating costs a reader less than the saved space on disk and in mails. */
    static final int MAX_UNCOMPRESSED_LENGTH = 32 * 1024;

    private DataCompression() {}

    static boolean isLong(String json) {
        return json.length() > MAX_UNCOMPRESSED_LENGTH;
    }

    static String compressed(String json) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(json.length() / 8);
        try (Writer writer = new OutputStreamWriter(new GZIPOutputStream(bytes), StandardCharsets.UTF_8)) {
            writer.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("Nothing is written to a disk, so nothing can fail", e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
