package dev.meshguard.cli.input;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.heap.internal.HeapNeed;
import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.log.AllocationLogReader;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Reads the files on the command line, plain or compressed with gzip; their content shows what they are. */
public final class InputReader {

    /** The argument for standard input. */
    public static final String STANDARD_INPUT = "-";

    private static final String KINDS = "a log, a history, a graph capture or a database";

    @Option(
            names = "--rank",
            paramLabel = "N",
            description = "The rank of the process, for a database that several processes wrote.")
    private @Nullable Integer rank;

    private final InputStream standardInput;

    public InputReader(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    /** Returns the name of a file in the output. */
    public static String called(String name) {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    /**
     * Reads all that a file contains: one input for each rank of a database and each capture of a file.
     *
     * @param logs the reader of a log
     * @param outputs the reader of a file that the runtime wrote, for all ranks
     */
    public List<Input> read(String name, AllocationLogReader logs, RuntimeOutputReader outputs) throws UsageException {
        if (rank != null && rank < 0) {
            throw new UsageException("--rank " + rank + ": give the rank of a process, 0 or more");
        }
        RuntimeOutputReader chosen = rank == null ? outputs : outputs.ofRank(rank);
        try {
            if (name.equals(STANDARD_INPUT)) {
                return read(new BufferedInputStream(standardInput), called(name), Optional.empty(), logs, chosen);
            }
            Path file = Path.of(name);
            try (InputStream input = open(file)) {
                return read(input, name, Optional.of(file), logs, chosen);
            }
        } catch (IOException | InvalidPathException e) {
            throw CommandFailures.unreadable(called(name), KINDS, e);
        }
    }

    private static List<Input> read(
            InputStream input, String name, Optional<Path> path, AllocationLogReader logs, RuntimeOutputReader outputs)
            throws IOException, UsageException {
        Optional<Path> file = path.filter(Files::isRegularFile);
        if (OutputFormat.of(input).isPresent()) {
            // A database is read where it is, a capture with the Python calls beside it.
            return inputs(file.isPresent() ? outputs.readRanks(file.get()) : outputs.readRanks(input, name));
        }
        if (file.isPresent()) {
            HeapNeed.requireRoomFor(file.get());
        }
        if (RuntimeEvidence.isOfMoment(input)) {
            return List.of(new Input.Moment(RuntimeEvidence.read(input, name)));
        }
        FileBeginning beginning = FileBeginning.of(input);
        if (beginning.isHistory()) {
            InputStreamReader plain = new InputStreamReader(PlainInput.of(input).stream(), StandardCharsets.UTF_8);
            return List.of(new Input.History(name, HistoryJson.read(plain, name)));
        }
        Optional<String> json = beginning.jsonDocument();
        AllocationLog log = logs.read(input, name);
        if (json.isPresent() && log.reports() == 0 && log.notes().isEmpty()) {
            throw new UsageException(name + " is JSON " + json.get() + ", which is not read. Give " + KINDS
                    + ", a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.");
        }
        return List.of(new Input.Log(log));
    }

    private static List<Input> inputs(List<RuntimeOutput> outputs) {
        return outputs.stream().<Input>map(Input.Output::new).toList();
    }

    private static InputStream open(Path file) throws IOException {
        // A channel queries the position of a pipe, which has none.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        return new BufferedInputStream(isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file));
    }

    /** Reads a file with one history, or with the memory of one moment. */
    public Input readOne(String name) throws UsageException {
        List<Input> all = read(name, AllocationLogReader.create(), RuntimeOutputReader.create());
        if (all.size() > 1) {
            List<String> ranks = all.stream()
                    .map(input ->
                            input instanceof Input.Output one ? one.output().rank() : OptionalInt.empty())
                    .filter(OptionalInt::isPresent)
                    .map(known -> String.valueOf(known.getAsInt()))
                    .distinct()
                    .toList();
            throw new UsageException(called(name)
                    + (ranks.size() < 2
                            ? " has " + all.size()
                                    + " recordings, and only meshguard analyze reads several. Give a file"
                                    + " with one."
                            : " was recorded by several processes: give --rank N with one of "
                                    + String.join(", ", ranks)));
        }
        return all.get(0);
    }

    /** Reads a file with one history. */
    public Input.Recording readRecording(String name) throws UsageException {
        try {
            if (readOne(name) instanceof Input.Recording recording) {
                return recording;
            }
        } catch (OutOfMemoryError e) {
            throw new UsageException(CommandFailures.heapFull(List.of(name)));
        }
        throw new UsageException(
                called(name)
                        + " has the memory of one moment and no history. meshguard analyze reads it, and meshguard diff compares two.");
    }

    /** Returns the name of an input, with the rank if one was chosen. */
    public String nameWithRank(Input input) {
        boolean hasRank = rank != null
                && input instanceof Input.Output one
                && one.output().rank().isPresent();
        return hasRank ? input.name() + " rank " + rank : input.name();
    }

    /** Rejects a rank if none of the files may have several. */
    public void rejectUnusedRank(List<? extends Input> read) throws UsageException {
        rejectUnused("--rank", rank, read, Input.Output.class::isInstance, "databases");
    }

    /**
     * Rejects an option that fits none of the files.
     *
     * @param value its value, or null if it is not given
     * @param kinds the kinds of files that it is for
     */
    public static void rejectUnused(
            String option, @Nullable Object value, List<? extends Input> read, Predicate<Input> fits, String kinds)
            throws UsageException {
        if (value != null && read.stream().noneMatch(fits)) {
            throw new UsageException(read.get(0).name() + " is " + read.get(0).kind() + ", and " + option + " is for "
                    + kinds + ". Leave it out.");
        }
    }
}
