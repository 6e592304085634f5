package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Overwrite;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the buffers that replays of traces overwrite, or read after their free.
 *
 * <p>A replay writes where the trace's mesh had allocated memory during the capture, whether it was freed since or not, and to
 * the circular buffers of the recorded programs. It reads the binaries of these programs, the recorded inputs, and the buffer
 * that keeps the trace. The result of another trace is lost only if something reads it before a replay of that trace writes it
 * anew.
 */
final class TraceReplays {

    /** The programs and buffers that one capture recorded, and its replays by the number of their event. */
    private static final class Capture {
        private final HistoryEvent.CaptureBegan began;
        private final Map<Owner, List<HistoryEvent.ProgramCaptured>> programs = new LinkedHashMap<>();
        /** Anonymous requests are left out, because they name no buffer. */
        private final Set<MemoryRequest> used = new LinkedHashSet<>();
        /** What a replay writes before it reads it. */
        private final Set<MemoryRequest> writtenFirst = new HashSet<>();

        private final NavigableMap<Long, HistoryEvent.TraceReplayed> replays = new TreeMap<>();
        private final WrittenMemory written = new WrittenMemory();
        private List<Memory> own = List.of();
        private long endedAt = Long.MAX_VALUE;

        private Capture(HistoryEvent.CaptureBegan began) {
            this.began = began;
        }

        private boolean uses(BufferGeneration buffer) {
            return buffer.reports().stream().anyMatch(report -> used.contains(report.request()));
        }

        private boolean writesAnew(BufferGeneration buffer) {
            return buffer.reports().stream().anyMatch(report -> writtenFirst.contains(report.request()));
        }

        private boolean owns(BufferGeneration buffer) {
            return began.number() < buffer.allocatedAt()
                    && buffer.allocatedAt() < endedAt
                    && buffer.request().details().mesh().equals(OptionalInt.of(began.mesh()));
        }

        /** Returns the first run of a program that was recorded while a report was open: the same memory serves all of them. */
        private Optional<HistoryEvent.ProgramCaptured> firstRunWith(Report report) {
            return report.details().owner().map(programs::get).stream()
                    .flatMap(List::stream)
                    .filter(captured -> report.wasOpenAt(captured.number()))
                    .findFirst();
        }

        private Collection<HistoryEvent.TraceReplayed> replays(long after, long before) {
            return replays.subMap(after, false, before, false).values();
        }

        private long nextReplay(long after) {
            return Optional.ofNullable(replays.higherKey(after)).orElse(Long.MAX_VALUE);
        }
    }

    /**
     * Memory of a buffer.
     *
     * @param report the report that named it
     * @param until the event from which on an allocator may reserve it for something else: the reset of an allocator frees without
     *     a report, and no allocator knows a circular buffer
     * @param allocator the allocator, or the sub-device on whose cores a circular buffer lies
     */
    private record Memory(
            BufferGeneration buffer, Report report, BankRange range, long until, Optional<AllocatorId> allocator) {

        private OptionalInt mesh() {
            return report.details().mesh();
        }

        /** Returns how many bytes of each bank both share; 0 for those of two allocators of a mesh, which are distinct. */
        private long common(Memory other) {
            boolean sameMesh = mesh().isEmpty() || other.mesh().isEmpty() || mesh().equals(other.mesh());
            return sameMesh && AllocatorId.areDistinct(allocator, other.allocator) ? 0 : range.common(other.range);
        }
    }

    /** The memory that the replays of one trace write. Ranges may overlap: a capture reuses memory. */
    private static final class WrittenMemory {
        private final NavigableMap<BankRange, List<Memory>> byStart = new TreeMap<>(BankRange.BY_START);
        private long longest;

        private void add(Memory memory) {
            byStart.computeIfAbsent(memory.range(), unused -> new ArrayList<>()).add(memory);
            longest = Math.max(longest, memory.range().end() - memory.range().start());
        }

        /** Returns the memory that shares most bytes with a buffer, of what allocators may have reserved since an event. */
        private Optional<Memory> over(Memory lost, long event) {
            BankRange range = lost.range();
            if (range.end() < range.start()) { // It reaches beyond the last address.
                return Optional.empty();
            }
            long earliest = Math.max(range.start(), Long.MIN_VALUE + longest) - longest;
            return byStart.subMap(range.from(earliest), range.from(range.end())).values().stream()
                    .flatMap(List::stream)
                    .filter(written -> written.until() <= event && written.common(lost) > 0)
                    .reduce((most, next) -> next.common(lost) >= most.common(lost) ? next : most);
        }

        private Stream<Memory> all() {
            return byStart.values().stream().flatMap(List::stream);
        }
    }

    private final AllocationHistory history;
    private final Set<BufferGeneration> givenBack;
    /** The memory that an allocator reserved, by the event of the first report. */
    private final NavigableMap<Long, Memory> allocated = new TreeMap<>();
    /** A program may capture thousands of traces, and each uses few of its buffers. */
    private final Map<Owner, Set<BufferGeneration>> byOwner = new HashMap<>();

    private final List<Capture> captures = new ArrayList<>();
    private final Map<Owner, Capture> latest = new HashMap<>();
    /** The buffers whose reads are reported. */
    private final Set<MemoryRequest> results = new HashSet<>();

    private final Map<MemoryRequest, NavigableSet<Long>> reads = new HashMap<>();
    private final List<Overwrite> found = new ArrayList<>();

    private TraceReplays(AllocationHistory history, Set<BufferGeneration> givenBack) {
        this.history = history;
        this.givenBack = givenBack;
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
        history.generations().stream().filter(BufferGeneration::hasDevice).forEach(this::index);
        events.forEach(this::read);
        captures.removeIf(capture -> capture.replays.isEmpty());
        captures.forEach(this::findWritten);
        for (Capture capture : captures) {
            allocatedWithin(capture.began.number(), capture.replays.lastKey())
                    .forEach(memory -> overwritten(capture, memory));
            buffersRead(capture).forEach(memory -> freed(capture, memory));
        }
        captures.forEach(this::inFlight);
        return found;
    }

    private void index(BufferGeneration buffer) {
        if (isAllocated(buffer)) {
            Report first = buffer.reports().get(0);
            allocated.put(buffer.allocatedAt(), memoryOf(buffer, first, heldUntil(buffer), buffer.allocator()));
        }
        for (Report report : buffer.reports()) {
            report.details()
                    .owner()
                    .ifPresent(owner -> byOwner.computeIfAbsent(owner, unused -> new LinkedHashSet<>())
                            .add(buffer));
        }
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
            captureOf(captured.trace())
                    .filter(unused -> !captured.request().isAnonymous())
                    .ifPresent(capture -> capture.used.add(captured.request()));
        } else if (event instanceof HistoryEvent.ResultCaptured captured) {
            captureOf(captured.trace())
                    .filter(unused -> !captured.request().isAnonymous())
                    .ifPresent(capture -> {
                        results.add(captured.request());
                        if (capture.used.add(captured.request())) {
                            capture.writtenFirst.add(captured.request());
                        }
                    });
        } else if (event instanceof HistoryEvent.ResultRead read) {
            reads.computeIfAbsent(read.request(), unused -> new TreeSet<>()).add(read.number());
        } else if (event instanceof HistoryEvent.CaptureEnded ended) {
            captureOf(ended.trace()).ifPresent(capture -> capture.endedAt = ended.number());
        } else if (event instanceof HistoryEvent.TraceReplayed replayed) {
            captureOf(replayed.trace()).ifPresent(capture -> capture.replays.put(replayed.number(), replayed));
        }
    }

    /** A part of a history may have the replays of a trace without its capture. */
    private Optional<Capture> captureOf(Owner trace) {
        return Optional.ofNullable(latest.get(trace));
    }

    private void findWritten(Capture capture) {
        capture.own = allocatedWithin(capture.began.number(), capture.endedAt)
                .filter(memory -> capture.owns(memory.buffer()))
                .toList();
        capture.own.forEach(capture.written::add);
        // Those of several programs share an address.
        capture.programs.keySet().stream()
                .flatMap(this::buffersOf)
                .filter(buffer -> buffer.request().details().kind() == BufferKind.CIRCULAR_BUFFER)
                .distinct()
                .forEach(buffer -> buffer.reports()
                        .forEach(report -> capture.firstRunWith(report)
                                .map(run -> memoryOf(buffer, report, run.number(), run.subDevice()))
                                .ifPresent(capture.written::add)));
    }

    private Stream<Memory> allocatedWithin(long after, long before) {
        return allocated.subMap(after, false, before, false).values().stream();
    }

    private Stream<BufferGeneration> buffersOf(Owner owner) {
        return byOwner.getOrDefault(owner, Set.of()).stream();
    }

    // What replays overwrite and read

    private void overwritten(Capture capture, Memory memory) {
        BufferGeneration buffer = memory.buffer();
        Collection<HistoryEvent.TraceReplayed> replays = capture.replays(buffer.allocatedAt(), memory.until());
        if (!replays.isEmpty() && !capture.owns(buffer) && !givenBack.contains(buffer)) {
            // Two allocators that hold it at a time are another finding.
            capture.written.over(memory, buffer.allocatedAt()).ifPresent(writer -> {
                List<HistoryEvent.TraceReplayed> losing = replays.stream()
                        .filter(replay -> isMissed(memory, replay.number()))
                        .toList();
                if (!losing.isEmpty()) {
                    add(Overwrite.Kind.BY_REPLAY, memory, Optional.of(writer), capture, losing);
                }
            });
        }
    }

    /**
     * Returns whether the data of a buffer is missed after an event. Of the result of a trace each read is reported, so nobody
     * misses it who does not read it before it is written anew or freed.
     */
    private boolean isMissed(Memory memory, long after) {
        BufferGeneration buffer = memory.buffer();
        if (buffer.reports().stream().noneMatch(report -> results.contains(report.request()))) {
            return true;
        }
        long written = memory.until();
        long read = buffer.reports().stream()
                .map(report -> reads.getOrDefault(report.request(), Collections.emptyNavigableSet())
                        .higher(after))
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .min()
                .orElse(Long.MAX_VALUE);
        for (Capture other : captures) {
            if (other.writesAnew(buffer)) {
                written = Math.min(written, other.nextReplay(after));
            } else if (other.uses(buffer)) {
                read = Math.min(read, other.nextReplay(after));
            }
        }
        return read < written;
    }

    /** Returns the commands of the trace, the binaries of its programs and its inputs. */
    private Stream<Memory> buffersRead(Capture capture) {
        Stream<BufferGeneration> commands = buffersOf(capture.began.trace())
                .filter(buffer -> buffer.owner().equals(Optional.of(capture.began.trace())));
        Stream<BufferGeneration> binaries = capture.programs.keySet().stream()
                .flatMap(this::buffersOf)
                .filter(buffer -> capture.firstRunWith(buffer.reports().get(0)).isPresent());
        Stream<BufferGeneration> inputs = capture.used.stream().flatMap(request -> history.buffersOf(request).stream());
        return Stream.of(commands, binaries, inputs)
                .flatMap(Function.identity())
                .distinct()
                .flatMap(buffer -> Optional.ofNullable(allocated.get(buffer.allocatedAt())).stream());
    }

    private void freed(Capture capture, Memory memory) {
        if (memory.buffer().isLive() || capture.owns(memory.buffer())) {
            return;
        }
        Collection<HistoryEvent.TraceReplayed> replays =
                capture.replays(allocatedAgainUntil(capture, memory), Long.MAX_VALUE);
        if (!replays.isEmpty()) {
            add(Overwrite.Kind.FREED_BEFORE_REPLAY, memory, Optional.empty(), capture, replays);
        }
    }

    /**
     * Returns the free of a buffer or, if its memory was allocated again during the capture, the free of that. Programs that free
     * an input during the capture allocate the next one there, so that it has the address that the replays read. What an operation
     * of the capture used is no such input: the replays write there.
     */
    private static long allocatedAgainUntil(Capture capture, Memory freed) {
        long until = freed.buffer().freedAt().orElseThrow();
        for (Memory own : capture.own) {
            if (own.buffer().allocatedAt() > until
                    && !capture.uses(own.buffer())
                    && own.range().beginsWith(freed.range())) {
                until = own.until();
            }
        }
        return until;
    }

    /** Finds what two replays write that may run at a time. */
    private void inFlight(Capture capture) {
        Map<Capture, List<HistoryEvent.TraceReplayed>> together = new LinkedHashMap<>();
        for (HistoryEvent.TraceReplayed replay : capture.replays.values()) {
            for (Owner other : replay.inFlight()) {
                captureOf(other)
                        .ifPresent(running -> together.computeIfAbsent(running, unused -> new ArrayList<>())
                                .add(replay));
            }
        }
        together.forEach((running, replays) -> running.written
                .all()
                .forEach(lost -> capture.written
                        .over(lost, Long.MAX_VALUE)
                        .ifPresent(writer ->
                                add(Overwrite.Kind.BY_REPLAY_IN_FLIGHT, lost, Optional.of(writer), capture, replays))));
    }

    private void add(
            Overwrite.Kind kind,
            Memory lost,
            Optional<Memory> writer,
            Capture capture,
            Collection<HistoryEvent.TraceReplayed> replays) {
        found.add(new Overwrite(
                kind,
                lost.buffer(),
                writer.map(Memory::report),
                Optional.of(capture.began.trace()),
                replays.iterator().next(),
                replays.size(),
                writer.orElse(lost).range().common(lost.range()),
                Optional.empty()));
    }

    // Memory

    private Memory memoryOf(BufferGeneration buffer, Report report, long until, Optional<AllocatorId> allocator) {
        return new Memory(buffer, report, BankRange.of(buffer, report, history), until, allocator);
    }

    /** A view lies in memory of another buffer, which is compared. */
    private static boolean isAllocated(BufferGeneration buffer) {
        return buffer.request().details().kind() == BufferKind.BUFFER
                && !buffer.request().details().view();
    }

    private long heldUntil(BufferGeneration buffer) {
        return Stream.of(buffer.freedAt(), buffer.reservedAgainAt(), history.closeOf(buffer))
                .mapToLong(end -> end.orElse(Long.MAX_VALUE))
                .min()
                .getAsLong();
    }
}
