package dev.meshguard.junit.internal.attachment;

import dev.meshguard.event.Quantities;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.VerdictJson;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * The files of one failure: its text, the verdict, the history.
 *
 * <p>A file that would be too long is truncated if the rest is readable, else omitted; the text says so. The text is
 * therefore written last. Each file replaces an earlier one as a whole, so that a reader never sees half of it.
 *
 * @param prefix the beginning of the names
 * @param mostBytes the maximum length of the verdict and of the history, each
 */
public record FailureFiles(String prefix, long mostBytes) {

    /** The default maximum length of a file: about 35,000 events. */
    public static final long MAX_BYTES = 8 * 1024 * 1024;

    private static final String JSON = "application/json";
    private static final String JSON_LINES = "application/x-ndjson; charset=UTF-8";
    private static final String PLAIN_TEXT = "text/plain; charset=UTF-8";

    /**
     * Attaches them.
     *
     * @param failure the whole text of the failure
     * @param report the verdict with its notes
     * @throws RuntimeException if one cannot be written; those before it remain
     */
    public void attach(Attaching target, String failure, VerdictReport report) {
        attach(target, report, file -> failure);
    }

    /**
     * Attaches the files of a failure that names the file of its text.
     *
     * @param report the verdict with its notes
     * @return the report that names the file
     * @throws RuntimeException if one cannot be written; those before it remain
     */
    public VerdictReport attachNamed(Attaching target, VerdictReport report) {
        VerdictReport[] named = {report};
        attach(target, report, file -> {
            named[0] = report.attachedAt(file.toString());
            return named[0].text();
        });
        return named[0];
    }

    private void attach(Attaching target, VerdictReport report, Function<Path, String> failure) {
        List<String> notes = new ArrayList<>();
        String history = prefix + "history.jsonl";
        target.attach(history, JSON_LINES, file -> writeHistory(report.verdict().history(), file, history, notes));
        String verdict = prefix + "verdict.json";
        if (fits(report)) {
            target.attach(verdict, JSON, file -> VerdictJson.write(report, file));
        } else {
            notes.add(String.format(
                    Locale.ROOT, "%s is omitted: it is longer than %s.", verdict, Quantities.size(mostBytes)));
        }
        target.attach(prefix + "failure.txt", PLAIN_TEXT, file -> {
            String text = failure.apply(file);
            FileReplacement.writeText(file, writer -> writer.write(text(text, report.tables(), notes)));
        });
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

    private static String text(String failure, String tables, List<String> notes) {
        StringBuilder text = new StringBuilder(failure).append('\n');
        if (!failure.contains(tables)) {
            text.append('\n').append(tables).append('\n');
        }
        notes.forEach(note -> text.append("note    ").append(note).append('\n'));
        return text.toString();
    }
}
