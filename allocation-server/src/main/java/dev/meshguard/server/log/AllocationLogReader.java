package dev.meshguard.server.log;

import dev.meshguard.server.log.internal.GrowingFile;
import dev.meshguard.server.log.internal.LogLines;
import dev.meshguard.server.log.internal.LogParser;
import dev.meshguard.tracker.Retention;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reads logs of the allocation server, with more choice than {@link AllocationLog#read(Path)} has.
 *
 * <pre>{@code
 * AllocationLog log = AllocationLogReader.create().phasesAt(Pattern.compile("^=== (.+) ===$")).read(file);
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads; each log is read once, line by line, by the thread that asks for it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationLogReader {

    private final InstantSource clock;
    private final Optional<Pattern> phaseMark;
    private final Optional<Pattern> roundMark;
    private final Retention retention;

    private AllocationLogReader(
            InstantSource clock, Optional<Pattern> phaseMark, Optional<Pattern> roundMark, Retention retention) {
        this.clock = clock;
        this.phaseMark = phaseMark;
        this.roundMark = roundMark;
        this.retention = retention;
    }

    /** Returns a reader that knows the server's own lines only. */
    public static AllocationLogReader create() {
        return new AllocationLogReader(InstantSource.system(), Optional.empty(), Optional.empty(), Retention.ALL);
    }

    /**
     * Returns this reader for logs into which a script writes what it does: lines in which the pattern is found begin a phase, which
     * is called like the pattern's first group, or like all that was found if it has none.
     */
    public AllocationLogReader phasesAt(Pattern mark) {
        return new AllocationLogReader(clock, Optional.of(mark), roundMark, retention);
    }

    /**
     * Returns this reader for logs of a program that does the same several times: lines in which the pattern is found begin a round,
     * which lasts to the next such line or to the end of the log.
     *
     * <p>{@link dev.meshguard.verdict.growth.Accumulation#of(dev.meshguard.tracker.history.AllocationHistory)} of the log's history
     * says what the rounds left behind. The check is then made at the end of the log, so that no round is passed over.
     */
    public AllocationLogReader roundsAt(Pattern mark) {
        return new AllocationLogReader(clock, phaseMark, Optional.of(mark), retention);
    }

    /**
     * Returns this reader with another source of the day on which the check is made, against which expectations that end are judged;
     * a log says no date.
     */
    public AllocationLogReader clock(InstantSource newClock) {
        return new AllocationLogReader(newClock, phaseMark, roundMark, retention);
    }

    /**
     * Returns this reader with another choice of what is kept; {@link Retention#ALL} unless set.
     *
     * <p>With {@link Retention#LIVE_AND_TOTALS} memory grows with what is allocated at a time and not with the log. Then phases, rounds,
     * the lines of events, and the use of addresses that are free again are not known, the end of the log is the check, and where a
     * free found nothing the verdict is inconclusive, because it is not known which.
     */
    public AllocationLogReader retention(Retention newRetention) {
        return new AllocationLogReader(clock, phaseMark, roundMark, newRetention);
    }

    /**
     * Reads a log, plain or compressed with gzip or zstd; the file may be a pipe.
     *
     * @throws IOException if the file cannot be read, is written in UTF-16, or is compressed with zstd and {@code com.github.luben:zstd-jni} is not there
     */
    public AllocationLog read(Path file) throws IOException {
        // A channel asks a pipe for its position, which it has not.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        try (InputStream log = isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file)) {
            return read(log, file.toString());
        }
    }

    /**
     * Reads a log, plain or compressed with gzip or zstd, to its end; the stream stays open.
     *
     * @param name what the log is called where something is said of it
     * @throws IOException as {@link #read(Path)} does
     */
    public AllocationLog read(InputStream log, String name) throws IOException {
        return read(LogLines.of(log), name);
    }

    /**
     * Reads a log that is still written, to its end and on.
     *
     * <p>Where another file is put in its place, or it is cut or removed meanwhile, reading ends there and the log says that lines are
     * missing. It is not compressed.
     *
     * <pre>{@code
     * AllocationLog log = AllocationLogReader.create().follow(file, quiet -> quiet.toSeconds() >= 10);
     * }</pre>
     *
     * @param isOver is asked by the reading thread whenever the end is reached, every tenth of a second, with the time since the file
     *     last grew: whether nothing more is to be waited for. Interrupting the thread ends the reading too
     * @throws IOException if the file cannot be read
     */
    public AllocationLog follow(Path file, Predicate<Duration> isOver) throws IOException {
        try (GrowingFile log = new GrowingFile(file, clock, isOver)) {
            return read(LogLines.of(log), file.toString());
        }
    }

    private AllocationLog read(LogLines lines, String name) throws IOException {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return new AllocationLog(
                name, LogParser.of(lines, new LogParser.Choices(today, phaseMark, roundMark, retention)));
    }
}
