package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Overwrite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the buffers that replays of traces overwrite, or read after their free.
 *
 * <p>A replay writes where the trace's mesh had allocated memory during the capture, whether it was freed since or not, and to
 * the circular buffers of the recorded programs. It reads the binaries of these programs, the recorded inputs, and the buffer
 * that keeps the trace.
 */
final class TraceReplays {

    /** What one capture recorded. */
    private static final class Capture {
        private final HistoryEvent.CaptureBegan began;
        private final Map<Owner, List<HistoryEvent.ProgramCaptured>> programs = new LinkedHashMap<>();
        private final Set<MemoryRequest> used = new LinkedHashSet<>();
        private final List<HistoryEvent.TraceReplayed> replays = new ArrayList<>();
        private List<Held> own = List.of();
        private Map<Region, WrittenRanges> written = Map.of();
        private long endedAt = Long.MAX_VALUE;
        private long[] replayNumbers = {};

        private Capture(HistoryEvent.CaptureBegan began) {
            this.began = began;
        }

        private Owner trace() {
            return began.trace();
        }

        private long lastReplay() {
            return replayNumbers[replayNumbers.length - 1];
        }

        private boolean uses(BufferGeneration buffer) {
            return buffer.reports().stream().anyMatch(report -> used.contains(report.request()));
        }

        private boolean owns(BufferGeneration buffer) {
            return began.number() < buffer.allocatedAt()
                    && buffer.allocatedAt() < endedAt
                    && buffer.request().details().mesh().equals(OptionalInt.of(began.mesh()));
        }

        /** Returns the first run of a program that was recorded while a report was open: the same memory serves all of them. */
        private Optional<HistoryEvent.ProgramCaptured> firstRunWith(Report report) {
            return report.request().details().owner().map(programs::get).stream()
                    .flatMap(List::stream)
                    .filter(captured -> report.allocatedAt() < captured.number()
                            && captured.number() < report.freedAt().orElse(Long.MAX_VALUE))
                    .findFirst();
        }
    }

    /**
     * A buffer in memory that an allocator reserved for it.
     *
     * @param until the event at which the memory was free again: the reset of an allocator frees without a report
     */
    private record Held(BufferGeneration buffer, Region region, BankRange range, long until) {}

    /**
     * Memory that a replay writes.
     *
     * @param freeFrom the event from which on an allocator may reserve the memory for something else: at once for a circular
     *     buffer, which no allocator knows
     * @param allocator the allocator, or the sub-device on whose cores a circular buffer lies
     */
    private record Written(
            BufferGeneration buffer,
            Report report,
            BankRange range,
            long freeFrom,
            OptionalInt mesh,
            Optional<AllocatorId> allocator) {

        private boolean isElsewhere(OptionalInt otherMesh, Optional<AllocatorId> other) {
            boolean sameMesh = mesh.isEmpty() || otherMesh.isEmpty() || mesh.equals(otherMesh);
            return sameMesh
                    && allocator.isPresent()
                    && other.isPresent()
                    && allocator.get().isDistinctFrom(other.get());
        }
    }

    private record Region(int device, BufferType.Memory memory) {}

    /** The memory of a region that the replays of one trace write, by address. Ranges may overlap: a capture reuses memory. */
    private static final class WrittenRanges {
        private final List<Written> ranges;
        private final long[] starts;
        /** The highest end of the ranges up to each. */
        private final long[] ends;

        private WrittenRanges(List<Written> unsorted) {
            ranges = unsorted.stream()
                    .sorted(Comparator.comparingLong(written -> written.range().start()))
                    .toList();
            starts = ranges.stream()
                    .mapToLong(written -> written.range().start())
                    .toArray();
            ends = ranges.stream().mapToLong(written -> written.range().end()).toArray();
            Arrays.parallelPrefix(ends, Math::max);
        }

        private List<Written> meeting(BankRange range) {
            List<Written> met = new ArrayList<>();
            for (int i = numberBelow(starts, range.end()) - 1; i >= 0 && ends[i] > range.start(); i--) {
                if (ranges.get(i).range().common(range) > 0) {
                    met.add(ranges.get(i));
                }
            }
            return met;
        }
    }

    private final AllocationHistory history;
    private final Set<BufferGeneration> givenBack;
    /** In the order of their allocation. */
    private final List<Held> allocated;

    private final long[] allocatedAt;
    private final Map<Owner, Set<BufferGeneration>> circular = new HashMap<>();
    private final Map<Owner, Set<Held>> freedOf = new HashMap<>();
    private final IdentityHashMap<MemoryRequest, Set<Held>> freed = new IdentityHashMap<>();
    private final List<Capture> captures = new ArrayList<>();
    private final Map<Owner, Capture> latest = new HashMap<>();
    private final List<Overwrite> found = new ArrayList<>();

    private TraceReplays(AllocationHistory history, Set<BufferGeneration> givenBack) {
        this.history = history;
        this.givenBack = givenBack;
        this.allocated = history.generations().stream()
                .filter(buffer -> buffer.hasDevice() && isAllocated(buffer))
                .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                .map(buffer -> new Held(buffer, region(buffer), BankRange.of(buffer, history), heldUntil(buffer)))
                .toList();
        this.allocatedAt = allocated.stream()
                .mapToLong(held -> held.buffer().allocatedAt())
                .toArray();
    }

    /**
     * Returns the findings.
     *
     * @param givenBack buffers whose free was not reported, so that it is not known when their memory was free
     */
    static List<Overwrite> overwritesIn(AllocationHistory history, Set<BufferGeneration> givenBack) {
        List<HistoryEvent> events = history.traceEvents();
        if (events.stream().noneMatch(HistoryEvent.TraceReplayed.class::isInstance)) {
            return List.of();
        }
        return new TraceReplays(history, givenBack).find(events);
    }

    private List<Overwrite> find(List<HistoryEvent> events) {
        events.forEach(this::read);
        captures.removeIf(capture -> capture.replays.isEmpty());
        index();
        for (Capture capture : captures) {
            capture.replayNumbers =
                    capture.replays.stream().mapToLong(HistoryEvent::number).toArray();
            capture.own = allocatedWithin(capture.began.number(), capture.endedAt).stream()
                    .filter(held -> capture.owns(held.buffer()))
                    .toList();
            capture.written = written(capture);
        }
        for (Capture capture : captures) {
            allocatedWithin(capture.began.number(), capture.lastReplay()).forEach(held -> overwritten(capture, held));
            freedAmongWhatIsRead(capture).forEach(held -> freed(capture, held));
        }
        inFlight();
        return found;
    }

    /** A program may capture thousands of traces, and each uses few of its buffers. */
    private void index() {
        for (BufferGeneration buffer : history.generations()) {
            if (buffer.hasDevice() && isCircular(buffer)) {
                buffer.reports()
                        .forEach(report ->
                                report.request().details().owner().ifPresent(owner -> put(circular, owner, buffer)));
            }
        }
        for (Held held : allocated) {
            if (held.buffer().freedAt().isPresent()) {
                held.buffer().owner().ifPresent(owner -> put(freedOf, owner, held));
                held.buffer().reports().forEach(report -> put(freed, report.request(), held));
            }
        }
    }

    private static <K, V> void put(Map<K, Set<V>> index, K key, V value) {
        index.computeIfAbsent(key, unused -> new LinkedHashSet<>()).add(value);
    }

    private List<Held> allocatedWithin(long after, long before) {
        int from = numberBelow(allocatedAt, after + 1);
        return allocated.subList(from, Math.max(from, numberBelow(allocatedAt, before)));
    }

    private void read(HistoryEvent event) {
        if (event instanceof HistoryEvent.CaptureBegan began) {
            Capture capture = new Capture(began);
            captures.add(capture);
            latest.put(began.trace(), capture);
        } else if (event instanceof HistoryEvent.ProgramCaptured captured) {
            captureOf(captured.trace())
                    .ifPresent(capture -> capture.programs
                            .computeIfAbsent(captured.program(), unused -> new ArrayList<>())
                            .add(captured));
        } else if (event instanceof HistoryEvent.BufferCaptured captured) {
            captureOf(captured.trace()).ifPresent(capture -> capture.used.add(captured.request()));
        } else if (event instanceof HistoryEvent.CaptureEnded ended) {
            captureOf(ended.trace()).ifPresent(capture -> capture.endedAt = ended.number());
        } else if (event instanceof HistoryEvent.TraceReplayed replayed) {
            captureOf(replayed.trace()).ifPresent(capture -> capture.replays.add(replayed));
        }
    }

    /** A part of a history may have the replays of a trace without its capture. */
    private Optional<Capture> captureOf(Owner trace) {
        return Optional.ofNullable(latest.get(trace));
    }

    // What a replay writes

    private Map<Region, WrittenRanges> written(Capture capture) {
        Map<Region, List<Written>> written = new LinkedHashMap<>();
        capture.own.forEach(held -> add(
                written,
                held.buffer(),
                held.buffer().reports().get(0),
                held.until(),
                held.buffer().allocator()));
        // Those of several programs share an address.
        buffersOf(capture.programs.keySet(), circular)
                .forEach(buffer -> buffer.reports()
                        .forEach(report -> capture.firstRunWith(report)
                                .ifPresent(run -> add(written, buffer, report, run.number(), run.subDevice()))));
        Map<Region, WrittenRanges> byRegion = new LinkedHashMap<>();
        written.forEach((region, ranges) -> byRegion.put(region, new WrittenRanges(ranges)));
        return byRegion;
    }

    private static <T> Set<T> buffersOf(Collection<Owner> owners, Map<Owner, Set<T>> index) {
        return owners.stream()
                .flatMap(owner -> index.getOrDefault(owner, Set.of()).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private void add(
            Map<Region, List<Written>> written,
            BufferGeneration buffer,
            Report report,
            long freeFrom,
            Optional<AllocatorId> allocator) {
        written.computeIfAbsent(region(buffer), unused -> new ArrayList<>())
                .add(new Written(
                        buffer,
                        report,
                        BankRange.of(buffer, report, history),
                        freeFrom,
                        report.request().details().mesh(),
                        allocator));
    }

    // What it overwrites and reads

    private void overwritten(Capture capture, Held held) {
        WrittenRanges written = capture.written.get(held.region());
        if (written == null) {
            return;
        }
        BufferGeneration buffer = held.buffer();
        Optional<HistoryEvent.TraceReplayed> replay = first(capture, buffer.allocatedAt(), held.until());
        if (replay.isEmpty() || capture.owns(buffer) || givenBack.contains(buffer)) {
            return;
        }
        written.meeting(held.range()).stream()
                // Two allocators that hold it at a time are another finding.
                .filter(one -> one.freeFrom() <= buffer.allocatedAt())
                .filter(one -> !one.isElsewhere(buffer.request().details().mesh(), buffer.allocator()))
                .max(Comparator.comparingLong(one -> one.range().common(held.range())))
                .ifPresent(one -> found.add(new Overwrite(
                        Overwrite.Kind.BY_REPLAY,
                        buffer,
                        Optional.of(one.report()),
                        Optional.of(capture.trace()),
                        replay.get(),
                        count(capture, buffer.allocatedAt(), held.until()),
                        one.range().common(held.range()),
                        Optional.empty())));
    }

    /** Returns the commands of the trace, the binaries of its programs and its inputs, as far as they were freed. */
    private Set<Held> freedAmongWhatIsRead(Capture capture) {
        Set<Held> read = buffersOf(List.of(capture.trace()), freedOf);
        buffersOf(capture.programs.keySet(), freedOf).stream()
                .filter(held ->
                        capture.firstRunWith(held.buffer().reports().get(0)).isPresent())
                .forEach(read::add);
        capture.used.forEach(request -> read.addAll(freed.getOrDefault(request, Set.of())));
        return read;
    }

    private void freed(Capture capture, Held held) {
        BufferGeneration buffer = held.buffer();
        if (capture.owns(buffer)) {
            return;
        }
        long unreadable = allocatedAgainUntil(capture, held);
        first(capture, unreadable, Long.MAX_VALUE)
                .ifPresent(replay -> found.add(new Overwrite(
                        Overwrite.Kind.FREED_BEFORE_REPLAY,
                        buffer,
                        Optional.empty(),
                        Optional.of(capture.trace()),
                        replay,
                        count(capture, unreadable, Long.MAX_VALUE),
                        held.range().common(held.range()),
                        Optional.empty())));
    }

    /**
     * Returns the free of a buffer or, if its memory was allocated again during the capture, the free of that. Programs that free
     * an input during the capture allocate the next one there, so that it has the address that the replays read. What an operation
     * of the capture used is no such input: the replays write there.
     */
    private static long allocatedAgainUntil(Capture capture, Held freed) {
        long until = freed.buffer().freedAt().orElseThrow();
        for (Held own : capture.own) {
            if (own.buffer().allocatedAt() > until
                    && !capture.uses(own.buffer())
                    && own.region().equals(freed.region())
                    && own.range().start() == freed.range().start()
                    && own.range().end() >= freed.range().end()) {
                until = own.until();
            }
        }
        return until;
    }

    // Two replays at a time

    private void inFlight() {
        Map<List<Capture>, List<HistoryEvent.TraceReplayed>> together = new LinkedHashMap<>();
        for (Capture capture : captures) {
            for (HistoryEvent.TraceReplayed replay : capture.replays) {
                for (Owner other : replay.inFlight()) {
                    captureOf(other)
                            .ifPresent(running -> together.computeIfAbsent(
                                            List.of(capture, running), unused -> new ArrayList<>())
                                    .add(replay));
                }
            }
        }
        together.forEach((pair, replays) -> inFlight(pair.get(0), pair.get(1), replays));
    }

    private void inFlight(Capture replayed, Capture running, List<HistoryEvent.TraceReplayed> replays) {
        running.written.forEach((region, losing) -> {
            WrittenRanges writing = replayed.written.get(region);
            if (writing != null) {
                losing.ranges.forEach(lost -> inFlight(lost, writing, replayed.trace(), replays));
            }
        });
    }

    private void inFlight(
            Written lost, WrittenRanges writing, Owner replayed, List<HistoryEvent.TraceReplayed> replays) {
        writing.meeting(lost.range()).stream()
                .filter(written -> !written.isElsewhere(lost.mesh(), lost.allocator()))
                .max(Comparator.comparingLong(written -> written.range().common(lost.range())))
                .ifPresent(written -> found.add(new Overwrite(
                        Overwrite.Kind.BY_REPLAY_IN_FLIGHT,
                        lost.buffer(),
                        Optional.of(written.report()),
                        Optional.of(replayed),
                        replays.get(0),
                        replays.size(),
                        written.range().common(lost.range()),
                        Optional.empty())));
    }

    // Replays and ranges

    private static Optional<HistoryEvent.TraceReplayed> first(Capture capture, long after, long before) {
        int index = firstAfter(capture, after);
        return index < capture.replays.size() && capture.replays.get(index).number() < before
                ? Optional.of(capture.replays.get(index))
                : Optional.empty();
    }

    private static long count(Capture capture, long after, long before) {
        return numberBelow(capture.replayNumbers, before) - (long) firstAfter(capture, after);
    }

    private static int firstAfter(Capture capture, long event) {
        return event == Long.MAX_VALUE ? capture.replayNumbers.length : numberBelow(capture.replayNumbers, event + 1);
    }

    private static int numberBelow(long[] sorted, long value) {
        int index = Arrays.binarySearch(sorted, value);
        return index < 0 ? -index - 1 : index;
    }

    private static Region region(BufferGeneration buffer) {
        return new Region(buffer.device(), buffer.type().memory());
    }

    private static boolean isCircular(BufferGeneration buffer) {
        return buffer.request().details().kind() == BufferKind.CIRCULAR_BUFFER;
    }

    /** A view lies in memory of another buffer, which is compared. */
    private static boolean isAllocated(BufferGeneration buffer) {
        return buffer.request().details().kind() == BufferKind.BUFFER
                && !buffer.request().details().view();
    }

    private long heldUntil(BufferGeneration buffer) {
        return Math.min(
                buffer.freedAt().orElse(Long.MAX_VALUE),
                Math.min(
                        buffer.reservedAgainAt().orElse(Long.MAX_VALUE),
                        history.closeOf(buffer).orElse(Long.MAX_VALUE)));
    }
}
