package dev.meshguard.server.log;

import dev.meshguard.server.log.internal.LogReading;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Phase;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A log of the field's allocation server, as it was read: the history that it tells, and what it does not tell.
 *
 * <p>Reads every dialect that the field has written, also where lines are quoted in a document or their marks were spoilt by a wrong
 * encoding. The history goes wherever one that was recorded goes:
 *
 * <pre>{@code
 * AllocationLog log = AllocationLog.read(Path.of("server.log"));
 * LeakVerdict verdict = LeakCheck.create().examine(log.history());
 * }</pre>
 *
 * <h2>What is never done in silence</h2>
 *
 * <p>A line that is not understood is counted in {@link #unread()}, with its number. Where the log itself shows that reports are
 * missing (a free of what no line allocates, a count of references that does not follow, a sum of the server that is not the sum of
 * the lines, a last line that is cut), the history says so as {@linkplain AllocationHistory#lostReports() lost reports} that name
 * the line, and so every verdict on it is inconclusive unless it is a leak anyhow.
 *
 * <h2>What a log cannot tell</h2>
 *
 * <p>No owners, no origins (but for the logs with call stacks), no allocator to compare with. So a verdict on a log names fewer causes
 * than one on a run, and no wrong ones. The check is made where the server was last asked what is left, if only frees follow; else
 * at the end of the log.
 *
 * <p>Immutable and safe for use by several threads. {@code docs/allocation-server.md} has the dialects.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationLog {

    /**
     * What was freed in one phase, of one type of memory, before the check.
     *
     * @param type the memory
     * @param phase the phase in which it was freed
     * @param buffers how many buffers
     * @param bytes their bytes
     */
    public record FreedMemory(BufferType type, Phase phase, long buffers, long bytes) {}

    private final String name;
    private final LogReading.Result result;

    AllocationLog(String name, LogReading.Result result) {
        this.name = name;
        this.result = result;
    }

    /**
     * Reads a log, plain or compressed with gzip.
     *
     * @throws IOException if the file cannot be read, or is compressed in another way
     */
    public static AllocationLog read(Path file) throws IOException {
        return AllocationLogReader.create().read(file);
    }

    /**
     * Reads a log, plain or compressed with gzip, to its end; the stream stays open.
     *
     * @param name what the log is called where something is said of it
     */
    public static AllocationLog read(InputStream log, String name) throws IOException {
        return AllocationLogReader.create().read(log, name);
    }

    /** Returns what the log is called. */
    public String name() {
        return name;
    }

    /** Returns what the log tells. */
    public AllocationHistory history() {
        return result.history();
    }

    /** Returns how many lines there are. */
    public long lines() {
        return result.lines();
    }

    /** Returns how many lines report that a buffer was allocated or freed; of a log of blocks, how many blocks. */
    public long reports() {
        return result.reports();
    }

    /** Returns the lines that were not understood. */
    public UnreadLines unread() {
        return result.unread();
    }

    /** Returns what kinds of log its lines show. */
    public Set<LogDialect> dialects() {
        return result.dialects();
    }

    /** Returns how often each address was allocated and freed, by device and address. */
    public List<AddressUse> addresses() {
        return List.copyOf(result.addresses());
    }

    /** Returns the line of the box of the last dump, if the server was asked for one. */
    public OptionalLong lastDump() {
        return result.lastDump();
    }

    /** Returns how many sums that the server printed were compared with the sum of the lines. */
    public long figuresCompared() {
        return result.figures();
    }

    /** Returns how many of them differ; the history has the first as a lost report. */
    public long figuresThatDiffer() {
        return result.disagreements();
    }

    /** Returns what a reader of the verdict has to know besides, as whole sentences. */
    public List<String> notes() {
        return List.copyOf(result.notes());
    }

    /** Returns the line from which the event of the given number was read, if there is such an event. */
    public OptionalLong lineOf(long event) {
        return result.linesOfEvents().of(event);
    }

    /** Returns what was already freed when the check was made, by type and then in the order of the phases. */
    public List<FreedMemory> freedBeforeCheck() {
        AllocationHistory history = result.history();
        long check = history.check().map(HistoryEvent.Checked::number).orElse(Long.MAX_VALUE);
        Map<BufferType, Map<Phase, FreedMemory>> freed = new EnumMap<>(BufferType.class);
        for (BufferGeneration buffer : history.generations()) {
            long died = buffer.diedAt().orElse(Long.MAX_VALUE);
            if (died < check) {
                Phase phase = history.phaseAt(died);
                freed.computeIfAbsent(buffer.type(), unused -> new LinkedHashMap<>())
                        .merge(phase, new FreedMemory(buffer.type(), phase, 1, buffer.size()), AllocationLog::sum);
            }
        }
        List<FreedMemory> rows = new ArrayList<>();
        freed.values().forEach(phases -> rows.addAll(phases.values()));
        return rows;
    }

    private static FreedMemory sum(FreedMemory one, FreedMemory other) {
        return new FreedMemory(one.type(), one.phase(), one.buffers() + other.buffers(), one.bytes() + other.bytes());
    }
}
