package dev.meshguard.cli;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.compression.internal.DecompressedInput;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemoryStatistics;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.server.ProcessInspector;
import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.server.log.ParsedLog;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Reads the files on the command line, plain or compressed with gzip; their content shows what they are. */
final class InputReader {

    /** The argument for standard input. */
    static final String STANDARD_INPUT = "-";

    private static final String KINDS = "a log, a history, a graph capture or a database";

    @Option(
            names = "--rank",
            paramLabel = "N",
            description = "The rank of the process, for a database that several processes wrote.")
    private @Nullable Integer rank;

    /** Returns the name of a file in the output. */
    private static String called(String name) {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    /**
     * Reads all that a file contains: one input for each rank of a database and each capture of a file.
     *
     * @param logs the reader of a log
     * @param outputs the reader of a file that the runtime wrote, for all ranks
     */
    List<Input> read(String name, InputStream standardInput, AllocationLogReader logs, RuntimeOutputReader outputs)
            throws UsageException {
        if (rank != null && rank < 0) {
            throw new UsageException("--rank " + rank + ": give the rank of a process, 0 or more");
        }
        RuntimeOutputReader chosen = rank == null ? outputs : outputs.ofRank(rank);
        try {
            if (name.equals(STANDARD_INPUT)) {
                return read(new BufferedInputStream(standardInput), called(name), Optional.empty(), logs, chosen);
            }
            Path file = Path.of(name);
            try (InputStream input = DecompressedInput.open(file)) {
                return read(new BufferedInputStream(input), name, Optional.of(file), logs, chosen);
            }
        } catch (IOException | InvalidPathException e) {
            throw UsageException.unreadable(
                    called(name), "Give the path of " + KINDS + ", or - for standard input.", e);
        }
    }

    private static List<Input> read(
            InputStream input, String name, Optional<Path> path, AllocationLogReader logs, RuntimeOutputReader outputs)
            throws IOException, UsageException {
        Optional<OutputFormat> format = OutputFormat.of(input);
        if (format.isEmpty()) {
            return List.of(historyOrLog(input, name, logs));
        }
        FileKind kind = FileKind.valueOf(format.get().name());
        if (kind == FileKind.MEMORY_REPORT || kind == FileKind.SHARED_MEMORY) {
            RuntimeEvidence memory = RuntimeEvidence.read(input, name);
            if (memory instanceof SharedMemoryStatistics shared) {
                memory = shared.inspected(ProcessInspector.ofThisMachine()::inspect);
            }
            return List.of(new Input.Moment(kind, name, memory));
        }
        // A database is read where it is, a capture with the Python calls beside it.
        Optional<Path> file = path.filter(Files::isRegularFile);
        List<RuntimeOutput> ranks = file.isPresent() ? outputs.readRanks(file.get()) : outputs.readRanks(input, name);
        return ranks.stream()
                .<Input>map(rank -> new Input.Recording(kind, rank.name(), rank))
                .toList();
    }

    private static Input historyOrLog(InputStream input, String name, AllocationLogReader logs)
            throws IOException, UsageException {
        FileBeginning beginning = FileBeginning.of(input);
        if (beginning.isHistory()) {
            InputStreamReader plain = new InputStreamReader(DecompressedInput.of(input), StandardCharsets.UTF_8);
            AllocationHistory history = HistoryJson.read(plain, name);
            return new Input.Recording(FileKind.HISTORY, name, () -> history);
        }
        Optional<String> json = beginning.jsonDocument();
        ParsedLog log = logs.read(input, name);
        if (json.isPresent() && log.reports() == 0 && log.notes().isEmpty()) {
            throw new UsageException(name + " is JSON " + json.get() + ", which is not read. Give " + KINDS
                    + ", a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.");
        }
        return new Input.Recording(FileKind.LOG, name, log);
    }

    /** Reads a file with one history, or with the memory of one moment. */
    Input readOne(String name, InputStream standardInput) throws UsageException {
        List<Input> all = read(name, standardInput, AllocationLogReader.create(), RuntimeOutputReader.create());
        if (all.size() > 1) {
            throw new UsageException(called(name) + " has " + all.size()
                    + " recordings, and only meshguard analyze reads several. Give a file with one, or --rank N with that of"
                    + " a process.");
        }
        return all.get(0);
    }

    /** Reads a file with one history. */
    Input.Recording readRecording(String name, InputStream standardInput) throws UsageException {
        if (readOne(name, standardInput) instanceof Input.Recording recording) {
            return recording;
        }
        throw new UsageException(
                called(name)
                        + " has the memory of one moment and no history. meshguard analyze reads it, and meshguard diff compares two.");
    }

    /** Returns the name of an input, with the rank if one was chosen. */
    String nameWithRank(Input input) {
        return rank == null ? input.name() : input.name() + " rank " + rank;
    }

    /** Rejects a rank if none of the files may have several. */
    void rejectUnusedRank(List<? extends Input> read) throws UsageException {
        rejectUnused("--rank", rank, read, "databases", FileKind.REPORT_DATABASE);
    }

    /**
     * Rejects an option that fits none of the files.
     *
     * @param value its value, or null if it is not given
     * @param text the kinds of files that it is for, for the message
     */
    static void rejectUnused(
            String option, @Nullable Object value, List<? extends Input> read, String text, FileKind... kinds)
            throws UsageException {
        boolean isUnused = read.stream().map(Input::kind).noneMatch(List.of(kinds)::contains);
        if (value != null && isUnused && !read.isEmpty()) {
            Input first = read.get(0);
            throw new UsageException(first.name() + " is " + first.kind().text() + ", and " + option + " is for " + text
                    + ". Leave it out.");
        }
    }
}
