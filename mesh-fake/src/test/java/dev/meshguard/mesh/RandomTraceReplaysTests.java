package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Overwrite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Runs random programs that capture and replay traces, and compares the verdict with a map of the memory in which each unit knows
 * which replay wrote it last.
 *
 * <p>The map is kept while the program runs: nothing in it is derived from the history. A strict mesh gives the same verdict,
 * although its addresses are others.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of the next
 * run. {@code -Dmeshguard.programs=} sets the number of programs.
 */
class RandomTraceReplaysTests {

    private static final int STEPS = 50;
    private static final int UNIT = 32;
    private static final String BINARY = "a kernel binary";

    @Test
    void findExactlyTheBuffersWhoseMemoryAReplayWroteOrMissed() {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        int programs = Integer.getInteger("meshguard.programs", 150);
        Map<Overwrite.Kind, Integer> found = new TreeMap<>();
        for (int i = 0; i < programs; i++) {
            long seed = firstSeed + i;
            Program program = new Program(seed, false);
            program.run();
            Program strict = new Program(seed, true);
            strict.run();

            assertThat(program.found()).as("program %d", seed).isEqualTo(program.expected);
            assertThat(strict.found()).as("strict program %d", seed).isEqualTo(program.expected);
            program.found().keySet().forEach(finding -> found.merge(finding.kind(), 1, Integer::sum));
        }

        assertThat(found)
                .as("kinds that occurred, from seed %d", firstSeed)
                .containsOnlyKeys(Overwrite.Kind.BY_REPLAY, Overwrite.Kind.FREED_BEFORE_REPLAY);
    }

    /** What a replay did to the buffer of a name. */
    private record Found(Overwrite.Kind kind, String trace, String name) {}

    private record Unit(BufferType type, long number) {}

    /** A buffer under the name that the program gave it. */
    private static final class Named {
        private final String name;
        private final Runnable free;
        private final Set<Unit> units;
        private final MeshBuffer buffer;
        /** The traces whose replays wrote over it since its own trace wrote it last, one for each replay. */
        private final List<Captured> missed = new ArrayList<>();

        private boolean isResult;
        private boolean isFreed;

        private Named(String name, Set<Unit> units, MeshBuffer buffer, Runnable free) {
            this.name = name;
            this.units = units;
            this.buffer = buffer;
            this.free = free;
        }

        private Unit start() {
            return units.stream().min(Comparator.comparingLong(Unit::number)).orElseThrow();
        }
    }

    private static final class Captured {
        private final String name;
        private final Set<Named> own = new LinkedHashSet<>();
        private final Set<Unit> written = new HashSet<>();
        private final Set<Named> inputs = new LinkedHashSet<>();
        private final Set<Named> results = new HashSet<>();
        /** The results that no operation of the trace reads before one writes them. */
        private final Set<Named> writtenAnew = new HashSet<>();
        /** The results that a program of its own may read before an operation of the trace writes them. */
        private final Set<Named> maybeRead = new HashSet<>();
        /** The recorded programs: the number of the cache, and the shape. */
        private final Map<TensorShape, Integer> programs = new HashMap<>();

        private boolean isRejected;

        private Captured(String name) {
            this.name = name;
        }

        /** Returns whether the memory was allocated again during the capture for a buffer that no operation of it uses. */
        private boolean hasNextInputAt(Named freed) {
            return own.stream()
                    .filter(next -> !next.isFreed && !inputs.contains(next) && !results.contains(next))
                    .anyMatch(next -> next.start().equals(freed.start()) && next.units.containsAll(freed.units));
        }
    }

    private static final class Program {

        private final Random random;
        private final AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        private final Ttnn ttnn;
        private final boolean strict;
        private final MeshDevice mesh;
        private final MeshWorkload own;
        private final long l1Base;
        private final Map<Named, Tensor> tensors = new LinkedHashMap<>();
        private final Map<String, Named> live = new LinkedHashMap<>();
        private final Map<TraceId, Captured> traces = new LinkedHashMap<>();
        private final Map<Found, Long> expected = new HashMap<>();
        /** How often the program cache was cleared: a program of an earlier count is gone. */
        private int caches;

        private int names;

        private Program(long seed, boolean strict) {
            this.random = new Random(seed);
            this.strict = strict;
            Ttnn.Builder builder = Ttnn.builder(tracker);
            this.ttnn = (strict ? builder.strict() : builder).build();
            this.mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(1, 1))
                    .withTraceRegionSize(random.nextBoolean() ? 1 << 20 : 0));
            this.own = ttnn.createMeshWorkload()
                    .addProgram(ttnn.createProgram("own").addKernel(1));
            mesh.enqueueMeshWorkload(own); // Loads its binary: a capture may run it.
            try (MeshLock held = mesh.context().lock().acquire()) {
                this.l1Base = mesh.context().memory().allocator().bankBase(BufferType.L1);
            }
        }

        private void run() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(15)) {
                    case 0, 1, 2 -> tensor();
                    case 3 -> bottomOfL1();
                    case 4, 5 -> freeAny(null);
                    case 6 -> add(null);
                    case 7, 8 -> capture();
                    case 9, 10 -> replay();
                    case 11, 12 -> readAny();
                    case 13 -> runOwn(null);
                    default -> rarely();
                }
            }
            List.copyOf(live.values()).forEach(this::neverReadAgain);
        }

        private void rarely() {
            if (random.nextBoolean()) {
                mesh.clearProgramCache();
                caches++;
            } else if (!traces.isEmpty()) {
                TraceId trace = anyTrace();
                mesh.releaseMeshTrace(trace);
                traces.remove(trace);
            }
        }

        private Named tensor() {
            String name = "t" + names++;
            return named(name, ttnn.empty(spec().named(name), mesh));
        }

        private TensorSpec spec() {
            return TensorSpec.of(TensorShape.of(32, 32 * (1 + random.nextInt(3) * 12)), DataType.BFLOAT16);
        }

        private Named named(String name, Tensor tensor) {
            Named named = new Named(name, units(tensor.buffer()), tensor.buffer(), tensor::deallocate);
            tensors.put(named, tensor);
            live.put(name, named);
            return named;
        }

        /** L1 buffers at the bottom may lie where circular buffers do. */
        private Named bottomOfL1() {
            String name = "l" + names++;
            MeshBuffer buffer = mesh.allocate(BufferConfig.of(BufferType.L1, 2_048, 2_048)
                    .inDirection(AllocationDirection.BOTTOM_UP)
                    .named(name));
            Named named = new Named(name, units(buffer), buffer, buffer::deallocate);
            live.put(name, named);
            return named;
        }

        private Set<Unit> units(MeshBuffer buffer) {
            BufferType type = buffer.config().type();
            long start = buffer.address();
            long banks = type == BufferType.DRAM ? 12 : 64;
            long pages = (buffer.size() / 2_048 + banks - 1) / banks;
            Set<Unit> units = new HashSet<>();
            for (long at = start; at < start + pages * 2_048; at += UNIT) {
                units.add(new Unit(type, at / UNIT));
            }
            return units;
        }

        private void freeAny(@Nullable Captured capture) {
            List<Named> candidates =
                    new ArrayList<>(capture == null || random.nextInt(3) == 0 ? live.values() : capture.own);
            candidates.removeIf(named -> named.isFreed);
            if (!candidates.isEmpty()) {
                Named named = candidates.get(random.nextInt(candidates.size()));
                named.free.run();
                named.isFreed = true;
                neverReadAgain(named);
                live.remove(named.name);
                tensors.remove(named);
            }
        }

        /** Returns the result; null without inputs, if circular buffers had no room or, in a capture, the program was never run. */
        private @Nullable Named add(@Nullable Captured capture) {
            if (tensors.isEmpty()) {
                return null;
            }
            List<Named> all = List.copyOf(tensors.keySet());
            Named input = all.get(random.nextInt(all.size()));
            Tensor tensor = tensors.get(input);
            try {
                Tensor sum = ttnn.launch("add", tensor.spec().named("s" + names++), tensor, tensor);
                Named result = named("s" + (names - 1), sum);
                if (capture == null) {
                    lost(input);
                } else {
                    capture.inputs.add(input);
                    if (!capture.inputs.contains(result)) {
                        capture.writtenAnew.add(result);
                    }
                    capture.results.add(result);
                    result.isResult = true;
                    capture.programs.put(tensor.shape(), caches);
                    for (long at = l1Base; at < l1Base + 3 * 4_096; at += UNIT) {
                        capture.written.add(new Unit(BufferType.L1, at / UNIT));
                    }
                }
                return result;
            } catch (MeshRuntimeException rejected) {
                if (capture != null) {
                    capture.isRejected = true;
                }
                return null;
            }
        }

        private void capture() {
            TraceId trace = mesh.beginMeshTrace(0);
            Captured captured = new Captured("trace " + trace.value() + " of mesh " + mesh.id());
            List<Supplier<Named>> work = List.of(
                    this::tensor, this::bottomOfL1, () -> add(captured), () -> add(captured), () -> runOwn(captured));
            for (int step = 1 + random.nextInt(6); step > 0; step--) {
                Named made = work.get(random.nextInt(work.size())).get();
                if (made != null) {
                    captured.own.add(made);
                    captured.written.addAll(made.units);
                }
                if (random.nextBoolean()) {
                    freeAny(captured);
                }
            }
            try {
                mesh.endMeshTrace(0, trace, 1_000);
            } catch (MeshRuntimeException rejected) {
                captured.isRejected = true;
            }
            if (captured.isRejected) { // What an operation allocated before it failed, no replay writes.
                mesh.releaseMeshTrace(trace);
            } else {
                traces.put(trace, captured);
            }
        }

        private TraceId anyTrace() {
            return List.copyOf(traces.keySet()).get(random.nextInt(traces.size()));
        }

        private void replay() {
            if (traces.isEmpty()) {
                return;
            }
            TraceId id = anyTrace();
            Captured trace = traces.get(id);
            mesh.replayMeshTrace(0, id, Blocking.BLOCKING);
            trace.maybeRead.forEach(this::lost);
            trace.writtenAnew.forEach(result -> result.missed.clear());
            trace.inputs.stream()
                    .filter(input -> !trace.writtenAnew.contains(input))
                    .forEach(this::lost);
            for (Named buffer : live.values()) {
                if (!trace.own.contains(buffer) && buffer.units.stream().anyMatch(trace.written::contains)) {
                    buffer.missed.add(trace);
                }
            }
            for (Named input : trace.inputs) {
                if (input.isFreed && !trace.own.contains(input) && !trace.hasNextInputAt(input)) {
                    expect(Overwrite.Kind.FREED_BEFORE_REPLAY, trace, input.name);
                }
            }
            trace.programs.values().stream()
                    .filter(cache -> cache != caches)
                    .forEach(cache -> expect(Overwrite.Kind.FREED_BEFORE_REPLAY, trace, BINARY));
        }

        /** The host reads a buffer, or a view that lies in it. A strict mesh accepts no view that begins elsewhere. */
        private void readAny() {
            if (live.isEmpty()) {
                return;
            }
            Named named = List.copyOf(live.values()).get(random.nextInt(live.size()));
            List<MeshCoordinate> everywhere = List.of(MeshCoordinate.of(0, 0));
            boolean isWhole = random.nextBoolean();
            if (isWhole) {
                mesh.commandQueue().enqueueReadShards(named.buffer, everywhere, Blocking.BLOCKING);
            } else {
                BufferType type = named.buffer.config().type();
                MeshBuffer view =
                        mesh.view(BufferConfig.of(type, 1_024, 1_024), named.buffer.address() + (strict ? 0 : 1_024));
                mesh.commandQueue().enqueueReadShards(view, everywhere, Blocking.BLOCKING);
                view.deallocate();
            }
            lost(named);
        }

        /** Runs or records a program that may read every result; returns null, because it has no result. */
        private @Nullable Named runOwn(@Nullable Captured capture) {
            mesh.enqueueMeshWorkload(own);
            List<Named> results =
                    live.values().stream().filter(named -> named.isResult).toList();
            if (capture == null) {
                results.forEach(this::lost);
            } else {
                results.stream()
                        .filter(result -> !capture.results.contains(result))
                        .forEach(capture.maybeRead::add);
            }
            return null;
        }

        /** The reads of results are known; any other buffer may have been read. */
        private void neverReadAgain(Named buffer) {
            if (!buffer.isResult) {
                lost(buffer);
            }
            buffer.missed.clear();
        }

        /** The data of a buffer is missed: it is read. */
        private void lost(Named buffer) {
            buffer.missed.forEach(trace -> expect(Overwrite.Kind.BY_REPLAY, trace, buffer.name));
            buffer.missed.clear();
        }

        private void expect(Overwrite.Kind kind, Captured trace, String name) {
            expected.merge(new Found(kind, trace.name, name), 1L, Long::sum);
        }

        private Map<Found, Long> found() {
            Map<Found, Long> found = new HashMap<>();
            for (Overwrite overwrite :
                    LeakCheck.create().examine(tracker.history()).overwrites()) {
                found.merge(
                        new Found(
                                overwrite.kind(),
                                overwrite.trace().orElseThrow().toString(),
                                overwrite.buffer().label().orElse(BINARY)),
                        overwrite.times(),
                        Long::sum);
            }
            return found;
        }
    }
}
