package dev.meshguard.capture;

import dev.meshguard.capture.compression.internal.PlainInput;
import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.RuntimeTexts;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.internal.DatabaseFile;
import dev.meshguard.capture.internal.DatedEvidence;
import dev.meshguard.capture.internal.GraphParser;
import dev.meshguard.capture.internal.OutputContent;
import dev.meshguard.capture.internal.OutputFolder;
import dev.meshguard.capture.internal.OutputJoin;
import dev.meshguard.capture.internal.OutputJoin.FileContent;
import dev.meshguard.capture.internal.ReadingCriteria;
import dev.meshguard.capture.internal.SpooledFile;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
 * <p>A database needs the library {@code org.xerial:sqlite-jdbc}, a file that is compressed with zstd
 * {@code com.github.luben:zstd-jni}. A database in a stream, or compressed, is first copied to a temporary file of at most
 * 16 GiB.
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
    private final OptionalInt last;
    private final Optional<Pattern> roundMark;
    private final List<DatedEvidence> evidence;

    private RuntimeOutputReader(
            InstantSource clock,
            OptionalInt rank,
            boolean judgesEnd,
            OptionalInt last,
            Optional<Pattern> roundMark,
            List<DatedEvidence> evidence) {
        this.clock = clock;
        this.rank = rank;
        this.judgesEnd = judgesEnd;
        this.last = last;
        this.roundMark = roundMark;
        this.evidence = evidence;
    }

    /** Returns a reader of files whose recording ends while the device is open. */
    public static RuntimeOutputReader create() {
        return new RuntimeOutputReader(
                InstantSource.system(), OptionalInt.empty(), false, OptionalInt.empty(), Optional.empty(), List.of());
    }

    /**
     * Returns this reader for one process of a database that several wrote, or of a folder.
     *
     * <p>A file that names no rank is of rank 0. A file or folder without the rank is an error.
     *
     * @throws IllegalArgumentException if the rank is negative
     */
    public RuntimeOutputReader ofRank(int process) {
        if (process < 0) {
            throw new IllegalArgumentException("Rank " + process + ": ranks are numbered from 0");
        }
        return new RuntimeOutputReader(clock, OptionalInt.of(process), judgesEnd, last, roundMark, evidence);
    }

    /**
     * Returns this reader for recordings at whose end all memory should be free, except expected buffers.
     *
     * <p>A buffer that remains has then leaked. Use it if the recorded code must leave no buffer behind, and list its
     * weights and caches as expected.
     */
    public RuntimeOutputReader judgedAtEnd() {
        return new RuntimeOutputReader(clock, rank, true, last, roundMark, evidence);
    }

    /**
     * Returns this reader for recordings of which all memory should be free after one operation, except expected buffers.
     *
     * <p>What follows the operation is not read, and a buffer that is allocated then has leaked, as with
     * {@link #judgedAtEnd()}. A file that does not have the operation is an error.
     *
     * @param operation the number of its node {@code function_start} in a capture, or its number in a database
     * @throws IllegalArgumentException if the number is negative
     */
    public RuntimeOutputReader judgedAfter(int operation) {
        if (operation < 0) {
            throw new IllegalArgumentException("Operation " + operation + ": operations are numbered from 0");
        }
        return new RuntimeOutputReader(clock, rank, true, OptionalInt.of(operation), roundMark, evidence);
    }

    /**
     * Returns this reader with rounds, of which {@code Rounds.MARKED} finds the growth.
     *
     * @param operation matches in the name of each outermost operation that begins a round
     */
    public RuntimeOutputReader roundsAt(Pattern operation) {
        return new RuntimeOutputReader(clock, rank, judgesEnd, last, Optional.of(operation), evidence);
    }

    /**
     * Returns this reader with evidence of the same run, written at the end of the recording.
     *
     * <p>The totals of a {@link MemoryReport} or of {@link SharedMemory} are a witness: if they are smaller than what the
     * recording has as allocated, the verdict is {@code INCONCLUSIVE} with both numbers; otherwise a note says that they fit. They
     * may be larger, because a recording has no buffers from before it. {@link RuntimeTexts} become notes with the
     * buffers at the addresses that they name. A file of several ranks, or a folder of several recordings, is then an error;
     * {@link #ofRank} chooses one.
     */
    public RuntimeOutputReader evidence(RuntimeEvidence file) {
        return evidence(new DatedEvidence(OptionalLong.empty(), file));
    }

    /**
     * Returns this reader with evidence of the same run, written after one operation; otherwise like
     * {@link #evidence(RuntimeEvidence)}.
     *
     * @param operation the number of its node {@code function_start} in a capture, or its number in a database; a file without
     *     it is an error
     * @throws IllegalArgumentException if the number is negative
     */
    public RuntimeOutputReader evidenceAfter(int operation, RuntimeEvidence file) {
        if (operation < 0) {
            throw new IllegalArgumentException("Operation " + operation + ": operations are numbered from 0");
        }
        return evidence(new DatedEvidence(OptionalLong.of(operation), file));
    }

    private RuntimeOutputReader evidence(DatedEvidence file) {
        List<DatedEvidence> all = new ArrayList<>(evidence);
        all.add(file);
        return new RuntimeOutputReader(clock, rank, judgesEnd, last, roundMark, List.copyOf(all));
    }

    /**
     * Returns this reader with another clock for the day of the check, on which expired expectations depend.
     */
    public RuntimeOutputReader clock(InstantSource newClock) {
        return new RuntimeOutputReader(newClock, rank, judgesEnd, last, roundMark, evidence);
    }

    /**
     * Reads a file of one process, or of the process that {@link #ofRank} chooses, plain or compressed with gzip or zstd; the
     * file may be a pipe.
     *
     * @throws IOException if the file cannot be read, is of no known format, or has several ranks; the message says what
     *     to do
     */
    public RuntimeOutput read(Path file) throws IOException {
        return only(readRanks(file));
    }

    /**
     * Reads a file of one process, or of the process that {@link #ofRank} chooses, plain or compressed with gzip or zstd, to its
     * end; the stream stays open.
     *
     * @param name the name of the file in messages
     * @throws IOException as {@link #read(Path)} does
     */
    public RuntimeOutput read(InputStream file, String name) throws IOException {
        return only(readRanks(file, name));
    }

    /**
     * Reads a file, plain or compressed with gzip or zstd, once for each rank in it; the file may be a pipe.
     *
     * <p>A graph capture is read with the Python calls beside it ({@code <stem>.python_io.json}) or in it, whose lines are then
     * named.
     *
     * <p>Of a folder, all files of these formats are read, also in folders within it; the others are skipped. A capture and a
     * database of one run and rank give one output, which is that of the capture: if their times overlap, or if they are the only
     * ones of the rank in a folder. The snapshots of the database are compared with the nodes; a contradiction makes a verdict
     * inconclusive. Each file numbers its operations itself, so a folder of several files that is read up to an operation, or
     * with evidence after one, is an error.
     *
     * @return the outputs by file and rank, at least one
     * @throws IOException if the file cannot be read or is of no known format, or a folder has no such file; the message says
     *     what it is instead
     */
    public List<RuntimeOutput> readRanks(Path file) throws IOException {
        return Files.isDirectory(file) ? readFolder(file) : readFile(file);
    }

    private List<RuntimeOutput> readFolder(Path folder) throws IOException {
        List<Path> files = OutputFolder.outputsIn(folder);
        rejectNumbersOfOneAmong(files);
        Deque<SpooledFile> spooled = new ArrayDeque<>();
        try {
            List<FileContent> outputs = new ArrayList<>();
            for (Path file : files) {
                outputs.addAll(contents(file, spooled));
            }
            return chosen(OutputJoin.joined(outputs).stream()
                    .map(output -> new RuntimeOutput(
                            output.file().toString(),
                            output.format(),
                            output.content().withoutEvidence()))
                    .toList());
        } finally {
            for (SpooledFile file : spooled) {
                file.close();
            }
        }
    }

    private void rejectNumbersOfOneAmong(List<Path> files) throws IOException {
        if (files.size() == 1) {
            return;
        }
        OptionalLong operation = last.isPresent()
                ? OptionalLong.of(last.getAsInt())
                : evidence.stream()
                        .flatMapToLong(dated -> dated.operation().stream())
                        .findFirst();
        if (operation.isPresent()) {
            throw new UnreadableOutputException(String.format(
                    Locale.ROOT,
                    "it is a folder of %d files, each of which numbers its operations itself, and operation %d is of one. Give"
                            + " that file alone",
                    files.size(),
                    operation.getAsLong()));
        }
    }

    /** Reads a file of a folder, to join it with others; what it copies is added to the files that the caller closes. */
    private List<FileContent> contents(Path file, Deque<SpooledFile> spooled) throws IOException {
        try (BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            if (OutputFormat.of(in).equals(Optional.of(OutputFormat.GRAPH_CAPTURE))) {
                return List.of(new FileContent(
                        file, file, OutputFormat.GRAPH_CAPTURE, GraphParser.parseToJoin(in, file, criteria())));
            }
            Path plain = file;
            if (!DatabaseFile.isPlainDatabase(in)) {
                spooled.add(SpooledFile.of(PlainInput.of(in).stream()));
                plain = spooled.getLast().path();
            }
            List<FileContent> ranks = new ArrayList<>();
            for (OutputContent content : DatabaseFile.read(plain, criteria())) {
                ranks.add(new FileContent(file, plain, OutputFormat.REPORT_DATABASE, content));
            }
            return ranks;
        }
    }

    /** Returns the outputs of the rank that is chosen, if one is. */
    private List<RuntimeOutput> chosen(List<RuntimeOutput> outputs) throws IOException {
        ReadingCriteria criteria = criteria();
        List<RuntimeOutput> read = outputs.stream()
                .filter(output -> criteria.reads(output.rank().orElse(0)))
                .toList();
        if (read.isEmpty()) {
            throw new UnreadableOutputException(
                    "it has no rank " + rank.orElse(0) + ". Leave the rank out to read all that it has");
        }
        if (!evidence.isEmpty() && read.size() > 1) {
            boolean isOneFile =
                    read.stream().map(RuntimeOutput::name).distinct().count() == 1;
            throw new UnreadableOutputException(String.format(
                    Locale.ROOT,
                    "it has %d %s, and %s is evidence of one. %s",
                    read.size(),
                    isOneFile ? "ranks" : "recordings",
                    evidence.get(0).file().name(),
                    isOneFile ? "Choose it with --rank or ofRank" : "Give the file of that one alone"));
        }
        return read;
    }

    private List<RuntimeOutput> readFile(Path file) throws IOException {
        // A channel queries the position of a pipe, which has none.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        try (InputStream output = isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file)) {
            BufferedInputStream in = new BufferedInputStream(output);
            if (!isPipe && DatabaseFile.isPlainDatabase(in)) {
                return chosen(ofDatabase(DatabaseFile.read(file, criteria()), file.toString()));
            }
            return isPipe ? readRanks(in, file.toString()) : readRanks(in, file);
        }
    }

    /**
     * Reads a file, plain or compressed with gzip or zstd, once for each rank in it and to its end; the stream stays open.
     *
     * @param name the name of the file in messages
     * @throws IOException as {@link #readRanks(Path)} does
     */
    public List<RuntimeOutput> readRanks(InputStream file, String name) throws IOException {
        return readRanks(file, Optional.empty(), name);
    }

    /**
     * Reads a stream with the content of a regular file, with the Python calls beside it, as {@link #readRanks(Path)} does; for a
     * reader who counts or limits what is read. The stream stays open.
     *
     * @throws IOException as {@link #readRanks(Path)} does
     */
    public List<RuntimeOutput> readRanks(InputStream content, Path file) throws IOException {
        return readRanks(content, Optional.of(file), file.toString());
    }

    private List<RuntimeOutput> readRanks(InputStream content, Optional<Path> path, String name) throws IOException {
        BufferedInputStream in = new BufferedInputStream(content);
        if (OutputFormat.of(in).equals(Optional.of(OutputFormat.REPORT_DATABASE))) {
            try (SpooledFile spooled = SpooledFile.of(PlainInput.of(in).stream())) {
                return chosen(ofDatabase(DatabaseFile.read(spooled.path(), criteria()), name));
            }
        }
        return chosen(
                List.of(new RuntimeOutput(name, OutputFormat.GRAPH_CAPTURE, GraphParser.parse(in, path, criteria()))));
    }

    private static RuntimeOutput only(List<RuntimeOutput> outputs) throws IOException {
        if (outputs.size() > 1) {
            List<String> names =
                    outputs.stream().map(RuntimeOutput::name).distinct().toList();
            boolean isOneFile = names.size() == 1;
            throw new UnreadableOutputException(String.format(
                    Locale.ROOT,
                    "it %s (%s), each with its own history. RuntimeOutputReader.readRanks and meshguard analyze give all of them%s",
                    isOneFile
                            ? "was recorded by " + outputs.size() + " processes"
                            : "has " + outputs.size() + " recordings",
                    isOneFile
                            ? outputs.stream()
                                    .map(output -> String.valueOf(output.rank().orElse(0)))
                                    .collect(Collectors.joining(", ", "ranks ", ""))
                            : String.join(", ", names),
                    isOneFile ? ", and ofRank and --rank one" : ""));
        }
        return outputs.get(0);
    }

    private static List<RuntimeOutput> ofDatabase(List<OutputContent> ranks, String name) {
        return ranks.stream()
                .map(content -> new RuntimeOutput(name, OutputFormat.REPORT_DATABASE, content))
                .toList();
    }

    private ReadingCriteria criteria() {
        return new ReadingCriteria(
                LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC), rank, judgesEnd, last, roundMark, evidence);
    }
}
