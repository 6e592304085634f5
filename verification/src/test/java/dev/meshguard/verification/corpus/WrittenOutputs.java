package dev.meshguard.verification.corpus;

import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement.Rigour;
import dev.meshguard.verification.corpus.truth.TrueCause;
import dev.meshguard.verification.corpus.writing.RuntimeOutputWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The runs of the corpus, written as files of the runtime and read again: what each format keeps of a run.
 *
 * <p>The reading judges the end of the file, which is the check of the run.
 */
final class WrittenOutputs {

    /** The formats. */
    private enum Format {
        GRAPH_CAPTURE("graph capture", RuntimeOutputWriter::graphCapture),
        REPORT_DATABASE("report database", RuntimeOutputWriter::reportDatabase);

        private final String text;

        @SuppressWarnings("ImmutableEnumChecker") // Stateless method references.
        private final Function<AllocationHistory, RuntimeOutputWriter> writer;

        Format(String text, Function<AllocationHistory, RuntimeOutputWriter> writer) {
            this.text = text;
            this.writer = writer;
        }
    }

    /** How often one true cause was named, none was, or the buffer is not in a file. */
    private static final class Named {
        private int named;
        private int none;
        private int absent;

        private void add(CorpusJudgement.JudgedCase one) {
            String judged = one.judged();
            if (judged.equals(CorpusJudgement.NOTHING)) {
                absent++;
            } else if (judged.equals(Cause.UNEXPLAINED.name()) || judged.equals(Outcome.INCONCLUSIVE.name())) {
                none++;
            } else {
                named++;
            }
        }

        @Override
        public String toString() {
            return named + " / " + none + " / " + absent;
        }
    }

    /** The counts of one format. */
    private static final class Counts {
        private int runs;
        private long buffers;
        private long written;
        private long freed;
        private final Map<String, Long> losses = new TreeMap<>();
        private final Map<TrueCause, Named> causes = new EnumMap<>(TrueCause.class);
    }

    private record Place(int device, BufferType.Memory memory, long address) {

        private static Place of(BufferGeneration buffer) {
            return new Place(buffer.device(), buffer.type().memory(), buffer.address());
        }
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
        RuntimeOutputWriter writer = format.writer.apply(run.history());
        Path file = file(writer);
        try {
            add(run, format, writer, file);
        } finally {
            file.toFile().delete();
        }
    }

    private void add(CaseRun run, Format format, RuntimeOutputWriter writer, Path file) {
        List<BufferGeneration> kept = keptOf(run.history().asOfCheck());
        AllocationHistory read = read(file, RuntimeOutputReader.create().judgedAtEnd());
        if (!texts(read.generations()).equals(texts(kept))) {
            differences.add(format.text + " of " + run.subject() + ": other buffers");
            return;
        }
        compareVerdicts(run, format, file);
        CorpusJudgement judgement = judgement(run, kept, read);
        wrongs(judgement, read).forEach(wrong -> differences.add(format.text + " of " + run.subject() + ": " + wrong));
        count(counts.computeIfAbsent(format, first -> new Counts()), run, writer, kept, judgement);
    }

    /** A file whose recording ended with the device open proves a leak of nothing, and a clean run if nothing remains. */
    private void compareVerdicts(CaseRun run, Format format, Path file) {
        AllocationHistory read = read(file, RuntimeOutputReader.create());
        boolean isClean = read.live().isEmpty() && read.lostReports().isEmpty();
        Outcome outcome = LeakCheck.create().examine(read).outcome();
        if (outcome != (isClean ? Outcome.LEAK_FREE : Outcome.INCONCLUSIVE)) {
            differences.add(format.text + " of " + run.subject() + ": " + outcome);
        }
    }

    private static CorpusJudgement judgement(CaseRun run, List<BufferGeneration> kept, AllocationHistory read) {
        IdentityHashMap<MemoryRequest, MemoryRequest> originals = new IdentityHashMap<>();
        for (int i = 0; i < kept.size(); i++) {
            originals.put(read.generations().get(i).request(), kept.get(i).request());
        }
        return new CorpusJudgement(
                LeakCheck.create().examine(read),
                run.truth().withoutCloses(),
                request -> originals.getOrDefault(request, request),
                Rigour.NO_WRONG_CAUSE);
    }

    /** A file that says of itself that it is not complete need not have what is missing, and no outcome of it is wrong. */
    private static List<String> wrongs(CorpusJudgement judgement, AllocationHistory read) {
        boolean isWhole = read.lostReports().isEmpty();
        List<String> wrongs = new ArrayList<>();
        for (CorpusJudgement.JudgedCase one : judgement.buffers()) {
            boolean isLost = one.judged().equals(CorpusJudgement.NOTHING);
            if (!one.isRight() && !(isLost && !isWhole)) {
                wrongs.add("true " + one.truth() + ", told " + one.judged() + ": " + one.where());
            }
        }
        if (isWhole && !judgement.isOutcomeRight()) {
            wrongs.add("true outcome " + judgement.trueOutcome() + ", told " + judgement.verdict());
        }
        return wrongs;
    }

    private static void count(
            Counts counts,
            CaseRun run,
            RuntimeOutputWriter writer,
            List<BufferGeneration> kept,
            CorpusJudgement judgement) {
        counts.runs++;
        counts.buffers += run.history().asOfCheck().generations().size();
        counts.written += kept.size();
        counts.freed += kept.stream().filter(buffer -> !buffer.isLive()).count();
        writer.losses().forEach((fact, count) -> counts.losses.merge(fact, count, Long::sum));
        for (CorpusJudgement.JudgedCase one : judgement.buffers()) {
            counts.causes
                    .computeIfAbsent(one.truth().row(), first -> new Named())
                    .add(one);
        }
    }

    /** Returns the buffers that a file can hold: those of an allocator that are no views, one at an address. */
    private static List<BufferGeneration> keptOf(AllocationHistory history) {
        Map<Place, BufferGeneration> latest = new HashMap<>();
        List<BufferGeneration> kept = new ArrayList<>();
        for (BufferGeneration buffer : history.generations()) {
            boolean isView = buffer.reports().stream()
                    .allMatch(report -> report.request().details().view());
            if (buffer.kind() == BufferKind.BUFFER && !isView && buffer.address() > 0) {
                BufferGeneration before = latest.get(Place.of(buffer));
                if (before == null || before.freedAt().orElse(Long.MAX_VALUE) < buffer.allocatedAt()) {
                    latest.put(Place.of(buffer), buffer);
                    kept.add(buffer);
                }
            }
        }
        return kept;
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

    /** Writes an output to a temporary file. */
    static Path file(RuntimeOutputWriter writer) {
        try {
            Path file = Files.createTempFile("meshguard-", ".written");
            try (OutputStream out = Files.newOutputStream(file)) {
                writer.write(out);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AllocationHistory read(Path file, RuntimeOutputReader reader) {
        try {
            return reader.read(file).history();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
                format.text,
                count.runs,
                count.buffers,
                count.written,
                count.freed,
                count.written - count.freed)));
        return table.toString();
    }

    /**
     * Returns what the verdicts say of what remains, by its true cause, as a table in Markdown: how often it is named, none
     * is named, and the file does not have the buffer.
     */
    String causes() {
        return table("true cause", count -> count.causes, cause -> "`" + cause + "`", new Named());
    }

    /** Returns what the files do not hold, as a table in Markdown. */
    String losses() {
        return table("not in the file", count -> count.losses, fact -> fact, 0);
    }

    private <R extends Comparable<R>> String table(
            String heading, Function<Counts, Map<R, ?>> column, Function<R, String> name, Object none) {
        StringBuilder table = new StringBuilder("| " + heading + " |");
        counts.keySet().forEach(format -> table.append(' ').append(format.text).append(" |"));
        table.append("\n| --- |").append(" ---: |".repeat(counts.size())).append('\n');
        counts.values().stream()
                .flatMap(count -> column.apply(count).keySet().stream())
                .distinct()
                .sorted()
                .forEach(row -> {
                    table.append("| ").append(name.apply(row)).append(" |");
                    for (Counts count : counts.values()) {
                        Object cell = column.apply(count).get(row);
                        table.append(' ').append(cell == null ? none : cell).append(" |");
                    }
                    table.append('\n');
                });
        return table.toString();
    }
}
