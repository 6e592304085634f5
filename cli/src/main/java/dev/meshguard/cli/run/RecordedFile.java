package dev.meshguard.cli.run;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.heap.internal.HeapNeed;
import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.HistoryFile;
import dev.meshguard.cli.common.InputFile;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.LogLines;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * A history on the command line: in JSON Lines, as a log of the allocation server, or as a file that the runtime
 * wrote.
 *
 * @param name its name in the output
 * @param history the history
 * @param lines the lines of the log from which it was read, if it was read from one
 * @param hasRank whether it is of a file that may have several ranks
 */
record RecordedFile(String name, AllocationHistory history, Optional<LogLines> lines, boolean hasRank)
        implements RecordedInput {

    private static final String STANDARD_INPUT = "-";
    private static final int GZIP_FIRST = 0x1f;
    private static final int GZIP_SECOND = 0x8b;

    /**
     * Reads a file, plain or compressed with gzip; its first bytes show the format.
     *
     * @param rank the rank of the process that is chosen, if the file may have several
     */
    static RecordedFile read(String name, OptionalInt rank, InputStream standardInput) throws UsageException {
        try {
            if (readAny(name, rank, standardInput) instanceof RecordedFile file) {
                return file;
            }
        } catch (OutOfMemoryError e) {
            throw new UsageException(
                    name.equals(STANDARD_INPUT)
                            ? CommandFailures.heapFull(called(name))
                            : CommandFailures.heapFull(Path.of(name)));
        }
        throw new UsageException(
                called(name)
                        + " has the memory of one moment and no history. meshguard analyze reads it, and meshguard diff compares two.");
    }

    /**
     * Reads a file as {@link #read} does, or the memory of one moment.
     *
     * @param rank the rank of the process that is chosen, if the file may have several
     */
    static RecordedInput readAny(String name, OptionalInt rank, InputStream standardInput) throws UsageException {
        String called = called(name);
        try (InputStream bytes = open(name, standardInput);
                InputStream plain = plain(bytes)) {
            if (HistoryFile.isHistory(plain)) {
                return new RecordedFile(called, HistoryFile.read(plain, called), Optional.empty(), false);
            }
            if (RuntimeEvidence.isOfMoment(plain)) {
                return new Moment(RuntimeEvidence.read(plain, called));
            }
            if (OutputFormat.of(plain).isEmpty()) {
                return ofLog(AllocationLog.read(plain, called));
            }
            return ofOutput(called, outputs(plain, name, called), rank);
        } catch (ZipException e) {
            throw new UsageException(
                    called + " is damaged: it begins like gzip and is none. Decompress it by other means.");
        } catch (IOException e) {
            throw InputFile.unreadable(called, "a history, a log, a graph capture or a database", e);
        }
    }

    private static String called(String name) {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    private static List<RuntimeOutput> outputs(InputStream plain, String name, String called) throws IOException {
        RuntimeOutputReader reader = RuntimeOutputReader.create();
        return name.equals(STANDARD_INPUT) || !Files.isRegularFile(Path.of(name))
                ? reader.readRanks(plain, called)
                : reader.readRanks(plain, Path.of(name));
    }

    private static RecordedFile ofOutput(String name, List<RuntimeOutput> ranks, OptionalInt rank)
            throws UsageException {
        List<RuntimeOutput> chosen = ranks.stream()
                .filter(output -> rank.isEmpty() || output.rank().orElse(0) == rank.getAsInt())
                .toList();
        if (chosen.size() != 1) {
            throw new UsageException(String.format(
                    Locale.ROOT,
                    "%s %s: give --rank N with one of %s",
                    name,
                    rank.isPresent() ? "has no rank " + rank.getAsInt() : "was recorded by several processes",
                    ranks.stream()
                            .map(output -> String.valueOf(output.rank().orElse(0)))
                            .collect(Collectors.joining(", "))));
        }
        String shown = ranks.size() == 1
                ? name
                : name + " rank " + chosen.get(0).rank().orElse(0);
        return new RecordedFile(shown, chosen.get(0).history(), Optional.empty(), true);
    }

    private static RecordedFile ofLog(AllocationLog log) {
        return new RecordedFile(log.name(), log.history(), Optional.of(new LogLines(log.name(), log::lineOf)), false);
    }

    /** Returns the report of a check that knows nothing but this file; that of a log names its lines. */
    VerdictReport report() {
        LeakVerdict verdict = LeakCheck.create().examine(history);
        return lines.map(log -> VerdictReport.ofLog(verdict, Optional.empty(), log))
                .orElseGet(() -> VerdictReport.of(verdict));
    }

    private static InputStream open(String name, InputStream standardInput) throws IOException, UsageException {
        if (name.equals(STANDARD_INPUT)) {
            return standardInput;
        }
        Path file = InputFile.path(name, "Name one file in it.");
        HeapNeed.requireRoomFor(file);
        return InputFile.open(file);
    }

    private static InputStream plain(InputStream bytes) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(bytes);
        buffered.mark(2);
        boolean compressed = buffered.read() == GZIP_FIRST && buffered.read() == GZIP_SECOND;
        buffered.reset();
        return compressed ? new BufferedInputStream(new GZIPInputStream(buffered)) : buffered;
    }
}
