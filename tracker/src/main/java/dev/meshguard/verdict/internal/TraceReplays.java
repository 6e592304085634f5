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
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

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
        private final Map<Owner, List<HistoryEvent.ProgramCaptured>> programs = new HashMap<>();
        private final Set<MemoryRequest> inputs = Collections.newSetFromMap(new IdentityHashMap<>());
        private final List<HistoryEvent.TraceReplayed> replays = new ArrayList<>();
        private final Set<BufferGeneration> own = Collections.newSetFromMap(new IdentityHashMap<>());
        private Map<Region, WrittenRanges> written = Map.of();
        private long endedAt = Long.MAX_VALUE;
        private long[] replayNumbers = {};

        private Capture(HistoryEvent.CaptureBegan began) {
            this.began = began;
        }

        private Owner trace() {
            return began.trace();
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
        /** The highest end of the ranges up to each. */
        private final long[] ends;

        private WrittenRanges(List<Written> unsorted) {
            ranges = unsorted.stream()
                    .sorted(Comparator.comparingLong(written -> written.range().start()))
                    .toList();
            ends = ranges.stream().mapToLong(written -> written.range().end()).toArray();
            Arrays.parallelPrefix(ends, Math::max);
        }

        private List<Written> meeting(BankRange range) {
            List<Written> met = new ArrayList<>();
            for (int i = numberBelow(range.end()) - 1; i >= 0 && ends[i] > range.start(); i--) {
                if (ranges.get(i).range().common(range) > 0) {
                    met.add(ranges.get(i));
                }
            }
            return met;
        }

        private int numberBelow(long address) {
            int low = 0;
            int high = ranges.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (ranges.get(middle).range().start() < address) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    private final AllocationHistory history;
    private final Set<BufferGeneration> givenBack;
    private final List<Capture> captures = new ArrayList<>();
    private final Map<Owner, Capture> latest = new HashMap<>();
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
        events.forEach(this::read);
        captures.removeIf(capture -> capture.replays.isEmpty());
        List<BufferGeneration> generations = history.generations();
        for (Capture capture : captures) {
            capture.replayNumbers =
                    capture.replays.stream().mapToLong(HistoryEvent::number).toArray();
            capture.written = written(capture, generations);
        }
        for (Capture capture : captures) {
            generations.forEach(buffer -> compare(capture, buffer));
        }
        inFlight();
        return found;
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
            captureOf(captured.trace()).ifPresent(capture -> capture.inputs.add(captured.request()));
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

    private Map<Region, WrittenRanges> written(Capture capture, List<BufferGeneration> generations) {
        Map<Region, List<Written>> written = new LinkedHashMap<>();
        for (BufferGeneration buffer : generations) {
            written(capture, buffer)
                    .forEach(one -> written.computeIfAbsent(region(buffer), unused -> new ArrayList<>())
                            .add(one));
        }
        Map<Region, WrittenRanges> byRegion = new LinkedHashMap<>();
        written.forEach((region, ranges) -> byRegion.put(region, new WrittenRanges(ranges)));
        return byRegion;
    }

    private List<Written> written(Capture capture, BufferGeneration buffer) {
        if (isCircular(buffer)) { // Those of several programs share an address.
            return buffer.reports().stream()
                    .flatMap(report -> capture.firstRunWith(report).stream()
                            .map(captured -> written(buffer, report, captured.number(), captured.subDevice())))
                    .toList();
        }
        if (isAllocated(buffer)
                && capture.began.number() < buffer.allocatedAt()
                && buffer.allocatedAt() < capture.endedAt
                && buffer.request().details().mesh().equals(OptionalInt.of(capture.began.mesh()))) {
            capture.own.add(buffer);
            return List.of(written(buffer, buffer.reports().get(0), heldUntil(buffer), buffer.allocator()));
        }
        return List.of();
    }

    private Written written(BufferGeneration buffer, Report report, long freeFrom, Optional<AllocatorId> allocator) {
        return new Written(
                buffer,
                report,
                BankRange.of(buffer, report, history),
                freeFrom,
                report.request().details().mesh(),
                allocator);
    }

    // What it overwrites and reads

    private void compare(Capture capture, BufferGeneration buffer) {
        if (!isAllocated(buffer) || capture.own.contains(buffer)) {
            return;
        }
        overwritten(capture, buffer);
        if (isRead(capture, buffer) && buffer.freedAt().isPresent()) {
            first(capture, freedAt(buffer), Long.MAX_VALUE)
                    .ifPresent(replay -> found.add(new Overwrite(
                            Overwrite.Kind.FREED_BEFORE_REPLAY,
                            buffer,
                            Optional.empty(),
                            Optional.of(capture.trace()),
                            replay,
                            count(capture, freedAt(buffer), Long.MAX_VALUE),
                            range(buffer).common(range(buffer)),
                            Optional.empty())));
        }
    }

    private void overwritten(Capture capture, BufferGeneration buffer) {
        if (buffer.allocatedAt() < capture.began.number() || givenBack.contains(buffer)) {
            return;
        }
        Optional<HistoryEvent.TraceReplayed> replay = first(capture, buffer.allocatedAt(), heldUntil(buffer));
        WrittenRanges written = capture.written.get(region(buffer));
        if (replay.isEmpty() || written == null) {
            return;
        }
        written.meeting(range(buffer)).stream()
                // Two allocators that hold it at a time are another finding.
                .filter(one -> one.freeFrom() <= buffer.allocatedAt())
                .filter(one -> !one.isElsewhere(buffer.request().details().mesh(), buffer.allocator()))
                .max(Comparator.comparingLong(one -> one.range().common(range(buffer))))
                .ifPresent(one -> found.add(new Overwrite(
                        Overwrite.Kind.BY_REPLAY,
                        buffer,
                        Optional.of(one.report()),
                        Optional.of(capture.trace()),
                        replay.get(),
                        count(capture, buffer.allocatedAt(), heldUntil(buffer)),
                        one.range().common(range(buffer)),
                        Optional.empty())));
    }

    private static boolean isRead(Capture capture, BufferGeneration buffer) {
        return buffer.owner().filter(capture.trace()::equals).isPresent()
                || capture.firstRunWith(buffer.reports().get(0)).isPresent()
                || buffer.reports().stream().anyMatch(report -> capture.inputs.contains(report.request()));
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
        return firstAfter(capture, before - 1) - (long) firstAfter(capture, after);
    }

    private static int firstAfter(Capture capture, long event) {
        int index = Arrays.binarySearch(capture.replayNumbers, event);
        return index >= 0 ? index + 1 : -index - 1;
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

    private BankRange range(BufferGeneration buffer) {
        return BankRange.of(buffer, history);
    }

    private static long freedAt(BufferGeneration buffer) {
        return buffer.freedAt().orElse(Long.MAX_VALUE);
    }

    /** Returns when the memory was free again: the reset of an allocator frees without a report. */
    private long heldUntil(BufferGeneration buffer) {
        return Math.min(
                freedAt(buffer),
                Math.min(
                        buffer.reservedAgainAt().orElse(Long.MAX_VALUE),
                        history.closeOf(buffer).orElse(Long.MAX_VALUE)));
    }
}
