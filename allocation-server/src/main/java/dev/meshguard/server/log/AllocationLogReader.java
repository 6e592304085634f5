package dev.meshguard.server.log;

import dev.meshguard.server.log.internal.LogLines;
import dev.meshguard.server.log.internal.LogReading;
import dev.meshguard.tracker.Retention;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
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

    private final Retention retention;

    private AllocationLogReader(InstantSource clock, Optional<Pattern> phaseMark, Retention retention) {
        this.clock = clock;
        this.phaseMark = phaseMark;
        this.retention = retention;
    }

    /** Returns a reader that knows the server's own lines only. */
    public static AllocationLogReader create() {
        return new AllocationLogReader(InstantSource.system(), Optional.empty(), Retention.ALL);
    }

    /**
     * Returns this reader for logs into which a script writes what it does: lines in which the pattern is found begin a phase, which
     * is called like the pattern's first group, or like all that was found if it has none.
     */
    public AllocationLogReader phasesAt(Pattern mark) {
        return new AllocationLogReader(clock, Optional.of(mark), retention);
    }

    /**
     * Returns this reader with another source of the day on which the check is made, against which expectations that end are judged;
     * a log says no date.
     */
    public AllocationLogReader clock(InstantSource newClock) {
        return new AllocationLogReader(newClock, phaseMark, retention);
    }

    /**
     * Returns this reader with another choice of what is kept; {@link Retention#ALL} unless set.
     *
     * <p>With {@link Retention#LIVE_AND_TOTALS} memory grows with what is allocated at a time and not with the log. Then phases,
     * the lines of events, and the use of addresses that are free again are not known, the end of the log is the check, and where a
     * free found nothing the verdict is inconclusive, because it is not known which.
     */
    public AllocationLogReader retention(Retention newRetention) {
        return new AllocationLogReader(clock, phaseMark, newRetention);
    }

    /**
     * Reads a log, plain or compressed with gzip.
     *
     * @throws IOException if the file cannot be read, or is compressed in another way
     */
    public AllocationLog read(Path file) throws IOException {
        try (InputStream log = Files.newInputStream(file)) {
            return read(log, file.toString());
        }
    }

    /**
     * Reads a log, plain or compressed with gzip, to its end; the stream stays open.
     *
     * @param name what the log is called where something is said of it
     * @throws IOException if it cannot be read, or is compressed in another way
     */
    public AllocationLog read(InputStream log, String name) throws IOException {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return new AllocationLog(name, LogReading.of(LogLines.of(log), today, phaseMark, retention));
    }
}
