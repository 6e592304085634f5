package dev.meshguard.capture;

import dev.meshguard.capture.heap.internal.HeapNeed;
import dev.meshguard.capture.internal.DatabaseFile;
import dev.meshguard.capture.internal.GraphParser;
import dev.meshguard.capture.internal.OutputContent;
import dev.meshguard.capture.internal.ReadingCriteria;
import dev.meshguard.capture.internal.UnreadableOutputException;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reads files that the runtime wrote, with more options than {@link RuntimeOutput#read(Path)}.
 *
 * <pre>{@code
 * RuntimeOutput output = RuntimeOutputReader.create().judgedAtEnd().read(file);
 * }</pre>
 *
 * <p>A database needs the library {@code org.xerial:sqlite-jdbc}, and is read from a file that is not compressed.
 *
 * <p>Immutable and safe for use by several threads; each file is read once, record by record, by the calling thread.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RuntimeOutputReader {

    private final InstantSource clock;
    private final OptionalInt rank;
    private final boolean judgesEnd;
    private final Optional<Pattern> roundMark;

    private RuntimeOutputReader(InstantSource clock, OptionalInt rank, boolean judgesEnd, Optional<Pattern> roundMark) {
        this.clock = clock;
        this.rank = rank;
        this.judgesEnd = judgesEnd;
        this.roundMark = roundMark;
    }

    /** Returns a reader of files whose recording ends while the device is open. */
    public static RuntimeOutputReader create() {
        return new RuntimeOutputReader(InstantSource.system(), OptionalInt.empty(), false, Optional.empty());
    }

    /**
     * Returns this reader for one process of a database that several wrote.
     *
     * <p>A capture, and a database that names no rank, is of rank 0. A file without the rank is an error.
     *
     * @throws IllegalArgumentException if the rank is negative
     */
    public RuntimeOutputReader ofRank(int process) {
        if (process < 0) {
            throw new IllegalArgumentException("Rank " + process + ": ranks are numbered from 0");
        }
        return new RuntimeOutputReader(clock, OptionalInt.of(process), judgesEnd, roundMark);
    }

    /**
     * Returns this reader for recordings at whose end all memory should be free, except expected buffers.
     *
     * <p>A buffer that remains has then leaked. Use it if the recorded code must leave no buffer behind, and list its
     * weights and caches as expected.
     */
    public RuntimeOutputReader judgedAtEnd() {
        return new RuntimeOutputReader(clock, rank, true, roundMark);
    }

    /**
     * Returns this reader with rounds, of which {@code Rounds.MARKED} finds the growth.
     *
     * @param operation matches in the name of each outermost operation that begins a round
     */
    public RuntimeOutputReader roundsAt(Pattern operation) {
        return new RuntimeOutputReader(clock, rank, judgesEnd, Optional.of(operation));
    }

    /**
     * Returns this reader with another clock for the day of the check, on which expired expectations depend.
     */
    public RuntimeOutputReader clock(InstantSource newClock) {
        return new RuntimeOutputReader(newClock, rank, judgesEnd, roundMark);
    }

    /**
     * Reads a capture, plain or compressed with gzip, or a database of one process, or of the process that {@link #ofRank}
     * chooses; a capture may come through a pipe.
     *
     * @throws IOException if the file cannot be read, is of no known format, or has several ranks; the message says what
     *     to do
     */
    public RuntimeOutput read(Path file) throws IOException {
        return only(readRanks(file));
    }

    /**
     * Reads a capture, plain or compressed with gzip, to its end; the stream stays open.
     *
     * @param name the name of the file in messages
     * @throws IOException as {@link #read(Path)} does
     */
    public RuntimeOutput read(InputStream file, String name) throws IOException {
        return only(readRanks(file, name));
    }

    /**
     * Reads a capture, plain or compressed with gzip, or a database, once for each capture or rank in it; a capture may come
     * through a pipe.
     *
     * <p>A graph capture is read with the Python calls beside it ({@code <stem>.python_io.json}) or in it, whose lines are then
     * named.
     *
     * @return the outputs in their order or by rank, at least one
     * @throws IOException if the file cannot be read or is of no known format; the message says what it is instead
     */
    public List<RuntimeOutput> readRanks(Path file) throws IOException {
        HeapNeed.requireRoomFor(file);
        // A channel queries the position of a pipe, which has none.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        try (InputStream output = isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file)) {
            BufferedInputStream in = new BufferedInputStream(output);
            return !isPipe && DatabaseFile.isPlainDatabase(in)
                    ? outputs(DatabaseFile.read(file, criteria()), OutputFormat.REPORT_DATABASE, file.toString())
                    : captures(in, isPipe ? Optional.empty() : Optional.of(file), file.toString());
        }
    }

    /**
     * Reads a capture, plain or compressed with gzip, once for each capture in it and to its end; the stream stays open.
     *
     * @param name the name of the file in messages
     * @throws IOException as {@link #readRanks(Path)} does
     */
    public List<RuntimeOutput> readRanks(InputStream file, String name) throws IOException {
        return captures(new BufferedInputStream(file), Optional.empty(), name);
    }

    private List<RuntimeOutput> captures(BufferedInputStream in, Optional<Path> path, String name) throws IOException {
        if (OutputFormat.of(in).equals(Optional.of(OutputFormat.REPORT_DATABASE))) {
            throw new UnreadableOutputException(
                    "it is a database of SQLite in a stream, or compressed. Give it as a file that is"
                            + " not compressed");
        }
        ReadingCriteria criteria = criteria();
        return outputs(
                criteria.reads(0) ? GraphParser.parse(in, path, criteria) : List.of(),
                OutputFormat.GRAPH_CAPTURE,
                name);
    }

    private static RuntimeOutput only(List<RuntimeOutput> outputs) throws IOException {
        if (outputs.size() > 1) {
            throw new UnreadableOutputException(String.format(
                    Locale.ROOT,
                    "it %s, each with its own history. RuntimeOutputReader.readRanks and meshguard analyze give all of them%s",
                    outputs.get(0).format() == OutputFormat.GRAPH_CAPTURE
                            ? "has " + outputs.size() + " captures"
                            : outputs.stream()
                                    .map(output -> String.valueOf(output.rank().orElse(0)))
                                    .collect(Collectors.joining(
                                            ", ", "was recorded by " + outputs.size() + " processes (ranks ", ")")),
                    outputs.get(0).format() == OutputFormat.GRAPH_CAPTURE ? "" : ", and ofRank and --rank one"));
        }
        return outputs.get(0);
    }

    private List<RuntimeOutput> outputs(List<OutputContent> contents, OutputFormat format, String name)
            throws UnreadableOutputException {
        if (contents.isEmpty()) {
            throw new UnreadableOutputException(
                    "it has no rank " + rank.orElse(0) + ". Leave the rank out to read all that it has");
        }
        List<RuntimeOutput> outputs = new ArrayList<>();
        for (OutputContent content : contents) {
            boolean isOneOfSeveral = format == OutputFormat.GRAPH_CAPTURE && contents.size() > 1;
            String number = String.format(Locale.ROOT, " (capture %d of %d)", outputs.size() + 1, contents.size());
            outputs.add(new RuntimeOutput(isOneOfSeveral ? name + number : name, format, content));
        }
        return outputs;
    }

    private ReadingCriteria criteria() {
        return new ReadingCriteria(LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC), rank, judgesEnd, roundMark);
    }
}
