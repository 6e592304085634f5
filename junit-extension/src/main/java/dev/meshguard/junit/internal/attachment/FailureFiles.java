package dev.meshguard.junit.internal.attachment;

import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.FileReplacement;
import dev.meshguard.tracker.history.AllocationHistory;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The files of one failure: its text, the verdict, the history.
 *
 * <p>What would be too long is cut where that leaves a file that can be read, or left out, and the text says so. So the text is written
 * last. Each file replaces an earlier one as a whole, so that nobody reads half of it.
 *
 * @param prefix the beginning of the names
 * @param mostBytes how long the verdict and the history may be, each
 */
public record FailureFiles(String prefix, long mostBytes) {

    /** How long a file may be unless a caller knows better: about 35,000 events. */
    public static final long MAX_BYTES = 8 * 1024 * 1024;

    private static final String JSON = "application/json";
    private static final String JSON_LINES = "application/x-ndjson; charset=UTF-8";
    private static final String PLAIN_TEXT = "text/plain; charset=UTF-8";

    /**
     * Attaches them.
     *
     * @param failure the whole text of the failure
     * @param report the verdict and what there is to say of it
     * @throws RuntimeException if one cannot be written; those before it stay
     */
    public void attach(Attaching target, String failure, VerdictReport report) {
        List<String> notes = new ArrayList<>();
        String history = prefix + "history.jsonl";
        target.attach(history, JSON_LINES, file -> writeHistory(report.verdict().history(), file, history, notes));
        String verdict = prefix + "verdict.json";
        if (fits(report)) {
            target.attach(verdict, JSON, file -> VerdictJson.write(report, file));
        } else {
            notes.add(String.format(
                    Locale.ROOT, "%s is left out: it is longer than %s.", verdict, Quantities.size(mostBytes)));
        }
        target.attach(
                prefix + "failure.txt",
                PLAIN_TEXT,
                file -> FileReplacement.writeText(file, writer -> writer.write(text(failure, notes))));
    }

    private void writeHistory(AllocationHistory history, Path file, String name, List<String> notes)
            throws IOException {
        FileReplacement.writeText(file, whole -> {
            LinesWithin lines = new LinesWithin(whole, mostBytes);
            try {
                HistoryJson.write(history, lines);
            } catch (LinesWithin.FullException full) {
                notes.add(String.format(
                        Locale.ROOT,
                        "%s is cut after %s, because it is longer than %s; the verdict is on all of it.",
                        name,
                        Quantities.count(lines.written(), "line"),
                        Quantities.size(mostBytes)));
            }
        });
    }

    private boolean fits(VerdictReport report) {
        try {
            VerdictJson.write(report, new LinesWithin(Writer.nullWriter(), mostBytes));
            return true;
        } catch (LinesWithin.FullException full) {
            return false;
        } catch (IOException unexpected) {
            throw new IllegalStateException("Nothing is written, so nothing can fail", unexpected);
        }
    }

    private static String text(String failure, List<String> notes) {
        StringBuilder text = new StringBuilder(failure).append('\n');
        notes.forEach(note -> text.append("Note: ").append(note).append('\n'));
        return text.toString();
    }
}
