package dev.meshguard.capture;

import dev.meshguard.capture.compression.internal.DecompressedInput;
import dev.meshguard.capture.internal.DatabaseReader;
import dev.meshguard.capture.internal.GraphParser;
import dev.meshguard.capture.internal.ReadingCriteria;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reads files that tt-metal or ttnn wrote, graph captures and report databases, as {@link RuntimeOutput}s.
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

    private final ReadingCriteria criteria;

    private RuntimeOutputReader(ReadingCriteria criteria) {
        this.criteria = criteria;
    }

    /** Returns a reader of files whose recording ends while the device is open. */
    public static RuntimeOutputReader create() {
        return new RuntimeOutputReader(new ReadingCriteria(OptionalInt.empty(), false, Optional.empty()));
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
        return new RuntimeOutputReader(
                new ReadingCriteria(OptionalInt.of(process), criteria.judgesEnd(), criteria.roundMark()));
    }

    /**
     * Returns this reader for recordings at whose end all memory should be free, except expected buffers.
     *
     * <p>A buffer that remains has then leaked. Use it if the recorded code must leave no buffer behind, and list its
     * weights and caches as expected.
     */
    public RuntimeOutputReader judgedAtEnd() {
        return new RuntimeOutputReader(new ReadingCriteria(criteria.rank(), true, criteria.roundMark()));
    }

    /**
     * Returns this reader with rounds, of which {@code Rounds.MARKED} finds the growth.
     *
     * @param operation matches in the name of each outermost operation that begins a round
     */
    public RuntimeOutputReader roundsAt(Pattern operation) {
        return new RuntimeOutputReader(
                new ReadingCriteria(criteria.rank(), criteria.judgesEnd(), Optional.of(operation)));
    }

    /**
     * Reads a capture, plain or compressed with gzip, or a database of one process, or of the process that {@link #ofRank}
     * chooses; a capture may come through a pipe.
     *
     * @throws IOException if the file cannot be read, is of no known format, or has several ranks or captures; the
     *     message says what to do
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
        try (InputStream input = DecompressedInput.open(file)) {
            return read(
                    new BufferedInputStream(input), Optional.of(file).filter(Files::isRegularFile), file.toString());
        }
    }

    /**
     * Reads a capture, plain or compressed with gzip, once for each capture in it and to its end; the stream stays open.
     *
     * @param name the name of the file in messages
     * @throws IOException as {@link #readRanks(Path)} does
     */
    public List<RuntimeOutput> readRanks(InputStream file, String name) throws IOException {
        return read(new BufferedInputStream(file), Optional.empty(), name);
    }

    private List<RuntimeOutput> read(BufferedInputStream in, Optional<Path> path, String name) throws IOException {
        List<RuntimeOutput> outputs;
        if (OutputFormat.of(in).equals(Optional.of(OutputFormat.REPORT_DATABASE))) {
            outputs = database(path.orElseThrow(() -> new IOException(
                    "it is a database of SQLite in a stream. Give the path of a file that is not compressed")));
        } else {
            outputs = criteria.reads(0) ? GraphParser.parse(in, path, criteria, name) : List.of();
        }
        if (outputs.isEmpty()) {
            throw new IOException(
                    "it has no rank " + criteria.rank().orElse(0) + ". Leave the rank out to read all that it has");
        }
        return outputs;
    }

    private List<RuntimeOutput> database(Path file) throws IOException {
        try {
            return DatabaseReader.read(file, criteria);
        } catch (LinkageError e) {
            throw new IOException("it is a database of SQLite, and the library that reads it is missing:"
                    + " add org.xerial:sqlite-jdbc to the class path");
        }
    }

    private static RuntimeOutput only(List<RuntimeOutput> outputs) throws IOException {
        if (outputs.size() > 1) {
            String ranks = outputs.stream()
                    .map(output -> String.valueOf(output.rank().orElse(0)))
                    .collect(Collectors.joining(", "));
            boolean areCaptures = outputs.get(0).format() == OutputFormat.GRAPH_CAPTURE;
            throw new IOException("it "
                    + (areCaptures
                            ? "has " + outputs.size() + " captures"
                            : "was recorded by " + outputs.size() + " processes (ranks " + ranks + ")")
                    + ", each with its own history. RuntimeOutputReader.readRanks and meshguard analyze give all of them"
                    + (areCaptures ? "" : ", and ofRank and --rank one"));
        }
        return outputs.get(0);
    }
}
