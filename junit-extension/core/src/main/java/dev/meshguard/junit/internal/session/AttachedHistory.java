package dev.meshguard.junit.internal.session;

import dev.meshguard.file.FileReplacement;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The file with the history of a failed check.
 *
 * <p>A longer history is cut after a whole line, and its reader reports that it is incomplete. The file replaces an earlier
 * one as a whole, so that a reader never sees half of it.
 *
 * @param history the history by which the check was judged
 * @param mostBytes the maximum length of the file
 */
record AttachedHistory(AllocationHistory history, long mostBytes) {

    /** The default maximum length: about 35,000 events. */
    static final long MAX_BYTES = 8 * 1024 * 1024;

    static final String MEDIA_TYPE = "application/x-ndjson; charset=UTF-8";

    void write(Path file) throws IOException {
        FileReplacement.write(file, whole -> {
            try {
                HistoryJson.write(
                        history, new OutputStreamWriter(new LinesWithin(whole, mostBytes), StandardCharsets.UTF_8));
            } catch (LinesWithin.FullException full) {
                // What is written is a whole number of lines.
            }
        });
    }
}
