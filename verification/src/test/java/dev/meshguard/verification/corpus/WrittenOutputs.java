package dev.meshguard.verification.corpus;

import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement.Rigour;
import dev.meshguard.verification.corpus.writing.RuntimeFile;
import dev.meshguard.verification.corpus.writing.RuntimeFile.Format;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The runs of the corpus, written as files of the runtime and read again: what each format keeps of a run.
 *
 * <p>The reading judges the end of the file, which is the check of the run.
 */
final class WrittenOutputs {

    private static final Set<String> UNNAMED =
            Set.of(CorpusJudgement.NOTHING, Cause.UNEXPLAINED.name(), Outcome.INCONCLUSIVE.name());

    /** The counts of one format. */
    private static final class Counts {
        private int runs;
        private long buffers;
        private long written;
        private long freed;
    }

    private final Map<Format, Integer> strides;
    private final Map<Format, Counts> counts = new EnumMap<>(Format.class);
    private final List<String> differences = new ArrayList<>();
    private int runs;

    /**
     * Writes only some runs: that of a database takes longer than the program.
     *
     * @param captures the runs from one capture to the next
     * @param databases the runs from one database to the next
     */
    WrittenOutputs(int captures, int databases) {
        strides = Map.of(Format.GRAPH_CAPTURE, captures, Format.REPORT_DATABASE, databases);
    }

    /** Writes and reads a run, and counts what came of it. */
    void add(CaseRun run) {
        for (Format format : Format.values()) {
            if (runs % strides.get(format) == 0) {
                add(run, format);
            }
        }
        runs++;
    }

    private void add(CaseRun run, Format format) {
        try {
            RuntimeFile file = RuntimeFile.of(run.history(), format);
            AllocationHistory read = read(file, RuntimeOutputReader.create().judgedAtEnd());
            if (texts(read.generations()).equals(texts(file.buffers()))) {
                wrongs(run, file, read)
                        .forEach(wrong -> differences.add(format + " of " + run.subject() + ": " + wrong));
            } else {
                differences.add(format + " of " + run.subject() + ": other buffers");
            }
            count(counts.computeIfAbsent(format, first -> new Counts()), run, file);
            file.path().toFile().delete();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A file that says of itself that it is not complete need not have what is missing, and no outcome of it is wrong. No file has what
     * a cause is named from.
     */
    private static List<String> wrongs(CaseRun run, RuntimeFile file, AllocationHistory read) throws IOException {
        boolean isWhole = read.lostReports().isEmpty();
        List<String> wrongs = new ArrayList<>();
        // One whose recording ended with the device open proves a leak of nothing, and a clean run if nothing remains.
        Outcome open = LeakCheck.create()
                .examine(read(file, RuntimeOutputReader.create()))
                .outcome();
        if (open != (isWhole && read.live().isEmpty() ? Outcome.LEAK_FREE : Outcome.INCONCLUSIVE)) {
            wrongs.add("with the device open, told " + open);
        }
        CorpusJudgement judgement = judgement(run, file.buffers(), read);
        for (CorpusJudgement.JudgedCase one : judgement.buffers()) {
            boolean isLost = one.judged().equals(CorpusJudgement.NOTHING);
            boolean isNamed = !UNNAMED.contains(one.judged());
            if (isNamed || (!one.isRight() && !(isLost && !isWhole))) {
                wrongs.add("true " + one.truth() + ", told " + one.judged() + ": " + one.where());
            }
        }
        if (isWhole ? !judgement.isOutcomeRight() : judgement.verdict().outcome() == Outcome.LEAK_FREE) {
            wrongs.add("true outcome " + judgement.trueOutcome() + ", told " + judgement.verdict());
        }
        return wrongs;
    }

    private static CorpusJudgement judgement(CaseRun run, List<BufferGeneration> written, AllocationHistory read) {
        IdentityHashMap<MemoryRequest, MemoryRequest> originals = new IdentityHashMap<>();
        for (int i = 0; i < written.size(); i++) {
            originals.put(read.generations().get(i).request(), written.get(i).request());
        }
        return new CorpusJudgement(
                LeakCheck.create().examine(read),
                run.truth().withoutCloses(),
                request -> originals.getOrDefault(request, request),
                Rigour.NO_WRONG_CAUSE);
    }

    private static void count(Counts counts, CaseRun run, RuntimeFile file) {
        counts.runs++;
        counts.buffers += run.history().asOfCheck().generations().size();
        counts.written += file.buffers().size();
        counts.freed +=
                file.buffers().stream().filter(buffer -> !buffer.isLive()).count();
    }

    private static List<String> texts(List<BufferGeneration> buffers) {
        return buffers.stream()
                .map(buffer -> String.format(
                        Locale.ROOT,
                        "%s %d on %d, %d bytes, live %b",
                        buffer.type(),
                        buffer.address(),
                        buffer.device(),
                        buffer.size(),
                        buffer.isLive()))
                .toList();
    }

    private static AllocationHistory read(RuntimeFile file, RuntimeOutputReader reader) throws IOException {
        return reader.read(file.path()).history();
    }

    /** Returns what files have that the runs do not, lack although they can hold it, or say wrongly. */
    List<String> differences() {
        return differences;
    }

    /** Returns the counts of buffers by format as a table in Markdown. */
    String table() {
        StringBuilder table = new StringBuilder("""
                | format | runs | buffers | in the file | of these freed | remaining |
                | --- | ---: | ---: | ---: | ---: | ---: |
                """);
        counts.forEach((format, count) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d | %d |\n",
                format,
                count.runs,
                count.buffers,
                count.written,
                count.freed,
                count.written - count.freed)));
        return table.toString();
    }
}
