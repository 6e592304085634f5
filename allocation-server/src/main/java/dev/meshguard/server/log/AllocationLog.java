package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.event.Phase;
import dev.meshguard.server.log.internal.LogParser;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.GenerationSums;
import dev.meshguard.tracker.history.HistorySource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * <p>Immutable and safe for use by several threads. {@code docs/server-logs.md} has the dialects.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationLog implements HistorySource {

    private final String name;
    private final LogParser.Result result;

    AllocationLog(String name, LogParser.Result result) {
        this.name = name;
        this.result = result;
    }

    /**
     * Reads a log, plain or compressed with gzip or zstd.
     *
     * @throws IOException if the file cannot be read, or is compressed with zstd and {@code com.github.luben:zstd-jni} is not there
     */
    public static AllocationLog read(Path file) throws IOException {
        return AllocationLogReader.create().read(file);
    }

    /**
     * Reads a log, plain or compressed with gzip or zstd, to its end; the stream stays open.
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
    @Override
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

    /** Returns how often each address was allocated and freed, by device and address; without a past, the ones in use. */
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

    /**
     * Returns what was freed, by type and then in the order of the phases: what was freed before the check first, and what the log
     * frees without ever having allocated it last. Without a past, by type only.
     */
    public List<FreedMemory> freed() {
        AllocationHistory history = result.history();
        List<FreedMemory> freed = new ArrayList<>(history.isComplete() ? freedByPhase(history) : freedInAll(history));
        freed.addAll(result.unseenFrees());
        return freed;
    }

    private static List<FreedMemory> freedInAll(AllocationHistory history) {
        List<FreedMemory> rows = new ArrayList<>();
        for (BufferType type : BufferType.values()) {
            long buffers = 0;
            long bytes = 0;
            for (int device : history.devices()) {
                MemoryTotals totals = history.totals(device, type);
                buffers += totals.totalBuffers() - totals.liveBuffers();
                bytes += totals.totalBytes() - totals.liveBytes();
            }
            if (buffers > 0) {
                rows.add(new FreedMemory(Optional.of(type), Phase.START, true, buffers, bytes));
            }
        }
        return rows;
    }

    private static List<FreedMemory> freedByPhase(AllocationHistory history) {
        Map<BufferType, Map<Phase, long[]>> before = new EnumMap<>(BufferType.class);
        Map<BufferType, Map<Phase, long[]>> after = new EnumMap<>(BufferType.class);
        for (GenerationSums.PhaseSums stretch : history.generationSums().phases()) {
            for (GenerationSums.Flow flow : stretch.flows()) {
                add(flow.freed().without(flow.freedLate()), flow.type(), stretch.phase(), before);
                add(flow.freedLate(), flow.type(), stretch.phase(), after);
            }
        }
        List<FreedMemory> rows = new ArrayList<>();
        addRows(before, true, rows);
        addRows(after, false, rows);
        return rows;
    }

    private static void add(
            GenerationSums.Amount amount, BufferType type, Phase phase, Map<BufferType, Map<Phase, long[]>> freed) {
        if (amount.buffers() > 0) {
            long[] sums = freed.computeIfAbsent(type, unused -> new LinkedHashMap<>())
                    .computeIfAbsent(phase, unused -> new long[2]);
            sums[0] += amount.buffers();
            sums[1] += amount.bytes();
        }
    }

    private static void addRows(
            Map<BufferType, Map<Phase, long[]>> freed, boolean beforeCheck, List<FreedMemory> rows) {
        freed.forEach((type, phases) -> phases.forEach(
                (phase, sums) -> rows.add(new FreedMemory(Optional.of(type), phase, beforeCheck, sums[0], sums[1]))));
    }
}
