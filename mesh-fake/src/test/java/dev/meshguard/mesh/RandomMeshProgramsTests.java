package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Runs random programs that allocate and free memory on a mesh and its submeshes, and checks invariants of all of them. A strict
 * runtime refuses nothing else, and has the same room at every step.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of the next
 * run. {@code -Dmeshguard.programs=} sets the number of programs.
 */
class RandomMeshProgramsTests {

    private static final int STEPS = 60;

    private static final OperationProfile CONVOLUTION = OperationProfile.of("conv2d", 3, 2)
            .withProgramBuffers(3, "halo config", BufferType.L1_SMALL, 256)
            .withGlobalSemaphores(2);

    @Test
    void haveConsistentLedgersAndVerdictsThatMatchTheirLeaks() {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        int programs = Integer.getInteger("meshguard.programs", 100);
        int leaks = 0;
        int refusals = 0;
        for (int i = 0; i < programs; i++) {
            Program program = new Program(firstSeed + i, Ttnn::create);
            program.run();
            Program strict = new Program(
                    firstSeed + i, tracker -> Ttnn.builder(tracker).strict().build());
            strict.run();
            assertThat(strict.seen).as(program::description).isEqualTo(program.seen);
            leaks += program.leaked.isEmpty() ? 0 : 1;
            refusals += program.refusals;
        }

        assertThat(leaks).as("programs that leaked").isBetween(1, Math.max(1, programs - 1));
        assertThat(refusals).as("steps that were rejected").isLessThan(programs * STEPS / 2);
    }

    /** A buffer at an address, as the program recorded it. */
    private record Held(MeshDevice mesh, List<Integer> devices, BufferType type, long address, Runnable free) {

        /** L1_SMALL is reserved by devices alone here, whose allocators belong to no mesh. */
        List<String> places() {
            int allocator = type == BufferType.L1_SMALL ? -1 : mesh.id();
            return devices.stream()
                    .map(device ->
                            String.format(Locale.ROOT, "mesh %d device %d %s %d", allocator, device, type, address))
                    .toList();
        }
    }

    private static final class Program {

        private final long seed;
        private final Random random;
        private final AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        private final Ttnn ttnn;
        private final MeshDevice root;
        private final List<MeshDevice> meshes;
        private final List<Held> held = new ArrayList<>();
        private final Map<MeshDevice, Set<TensorShape>> convolved = new HashMap<>();
        private final List<MeshWorkload> workloads = new ArrayList<>();
        private final List<String> steps = new ArrayList<>();
        /** The errors and the room of each mesh after each step. */
        private final List<String> seen = new ArrayList<>();

        private final TreeSet<String> leaked = new TreeSet<>();
        private int refusals;

        Program(long seed, Function<AllocationTracker, Ttnn> runtime) {
            this.seed = seed;
            this.random = new Random(seed);
            this.ttnn = runtime.apply(tracker);
            this.root = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(2, 4))
                    .withTraceRegionSize(1_048_576)
                    .withL1SmallSize(32_768)
                    .withNumCommandQueues(2));
            this.meshes = new ArrayList<>(List.of(root));
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                try {
                    step();
                } catch (MeshRuntimeException refused) {
                    seen.add(refused.toString());
                    steps.add("  refused: " + refused.getMessage());
                    refusals++;
                }
                meshes.forEach(this::requireConsistent);
            }
            end();
            judge();
        }

        private void step() {
            MeshDevice mesh = meshes.get(random.nextInt(meshes.size()));
            switch (random.nextInt(15)) {
                case 0 -> openSubmesh(mesh);
                case 1, 2 -> allocate(mesh, BufferType.DRAM);
                case 3 -> allocate(mesh, BufferType.L1);
                case 4 -> allocateOnOneDevice(mesh);
                case 5 -> operate(mesh);
                case 6 -> enqueue(mesh);
                case 7 -> trace(mesh);
                case 8 -> divideIntoSubDevices(mesh);
                case 9 -> clearTheCache(mesh);
                case 10, 11 -> convolve(mesh);
                case 12 -> share(mesh);
                default -> freeOne();
            }
        }

        private void openSubmesh(MeshDevice parent) {
            if (meshes.size() < 3 && parent == root) {
                MeshCoordinate offset = MeshCoordinate.of(random.nextInt(2), random.nextInt(3));
                note("submesh at " + offset);
                meshes.add(parent.createSubmesh(MeshShape.of(1, 2), offset));
            }
        }

        private void allocate(MeshDevice mesh, BufferType type) {
            long page = 1_024L << random.nextInt(3);
            note("allocate " + type + " on mesh " + mesh.id());
            MeshBuffer buffer = mesh.allocate(BufferConfig.of(type, page * (1 + random.nextInt(200)), page));
            held.add(new Held(mesh, mesh.deviceIds(), type, buffer.address(), buffer::deallocate));
        }

        /** Small ones only: a device's own allocator does not know where the mesh's put its buffers. */
        private void allocateOnOneDevice(MeshDevice mesh) {
            int device = mesh.deviceIds().get(random.nextInt(mesh.numDevices()));
            note("allocate on device " + device);
            Buffer buffer = mesh.allocateOn(
                    device,
                    BufferConfig.of(BufferType.L1_SMALL, 1_024, 1_024)
                            .heightSharded(CoreRangeSet.of(new CoreRange(0, 0, 0, 0))));
            held.add(new Held(mesh, List.of(device), BufferType.L1_SMALL, buffer.address(), buffer::deallocate));
        }

        private void operate(MeshDevice mesh) {
            note("add on mesh " + mesh.id());
            Tensor a = ttnn.empty(TensorShape.of(64, 32 * (1 + random.nextInt(4))), DataType.BFLOAT16, mesh);
            Tensor sum = ttnn.add(a, a);
            held.add(new Held(mesh, mesh.deviceIds(), BufferType.DRAM, a.address(), a::close));
            held.add(new Held(mesh, mesh.deviceIds(), BufferType.DRAM, sum.address(), sum::close));
        }

        /** The last of the handles that share memory frees it, whichever that is. */
        private void share(MeshDevice mesh) {
            note("shared tensor on mesh " + mesh.id());
            Tensor tensor = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
            MeshBuffer buffer = tensor.buffer();
            List<Tensor> handles =
                    new ArrayList<>(List.of(tensor, tensor.alias(), tensor.reshape(TensorShape.of(1, 64, 64))));
            Collections.shuffle(handles, random);
            held.add(new Held(mesh, mesh.deviceIds(), BufferType.DRAM, buffer.address(), () -> {
                for (Tensor handle : handles) {
                    assertThat(buffer.isAllocated()).as(this::description).isTrue();
                    handle.close();
                }
                assertThat(buffer.isAllocated()).as(this::description).isFalse();
            }));
        }

        /** Each shape has a program in the cache, and each program buffers of its own. */
        private void convolve(MeshDevice mesh) {
            TensorShape shape = TensorShape.of(32, 32 * (1 + random.nextInt(60)));
            note("convolution of " + shape + " on mesh " + mesh.id());
            Tensor input = ttnn.empty(shape, DataType.BFLOAT16, mesh);
            held.add(new Held(mesh, mesh.deviceIds(), BufferType.DRAM, input.address(), input::close));
            boolean isNew = !convolved.getOrDefault(mesh, Set.of()).contains(shape);
            long before = mesh.statistics(BufferType.L1_SMALL).totalAllocated();
            try {
                ttnn.launch(CONVOLUTION, input.spec(), input).close();
                convolved.computeIfAbsent(mesh, unused -> new HashSet<>()).add(shape);
            } catch (DeviceOutOfMemoryException full) {
                assertThat(isNew).as(this::description).isTrue();
                assertThat(mesh.statistics(BufferType.L1_SMALL).totalAllocated())
                        .as(this::description)
                        .isEqualTo(before);
                throw full;
            }
        }

        private void enqueue(MeshDevice mesh) {
            note("workload on mesh " + mesh.id());
            MeshWorkload workload = ttnn.createMeshWorkload()
                    .addProgram(ttnn.createProgram("copy")
                            .addKernel(1 + random.nextInt(20))
                            .addCircularBuffer(CircularBufferConfig.of(2_048L * (1 + random.nextInt(4)))));
            workloads.add(workload);
            mesh.enqueueMeshWorkload(workload);
        }

        private void trace(MeshDevice mesh) {
            note("trace on mesh " + mesh.id());
            TraceId trace = mesh.beginMeshTrace(0);
            mesh.endMeshTrace(0, trace, 1 + random.nextInt(60_000));
            mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
            mesh.releaseMeshTrace(trace);
        }

        private void divideIntoSubDevices(MeshDevice mesh) {
            note("sub-devices on mesh " + mesh.id());
            CoreRange left = new CoreRange(0, 0, 3, 7);
            CoreRange right = new CoreRange(4, 0, 7, 7);
            SubDeviceManagerId manager =
                    mesh.createSubDeviceManager(List.of(SubDevice.of(left), SubDevice.of(right)), 4_096);
            try {
                mesh.loadSubDeviceManager(manager);
                MeshBuffer local = mesh.allocate(BufferConfig.of(BufferType.L1, 32 * 1_024, 1_024)
                        .heightSharded(CoreRangeSet.of(left))
                        .on(new SubDeviceId(0)));
                local.deallocate();
            } finally {
                mesh.clearLoadedSubDeviceManager();
                mesh.removeSubDeviceManager(manager);
            }
        }

        private void clearTheCache(MeshDevice mesh) {
            note("clear the cache of mesh " + mesh.id());
            mesh.clearProgramCache();
            convolved.remove(mesh);
        }

        private void freeOne() {
            if (!held.isEmpty()) {
                Held freed = held.remove(random.nextInt(held.size()));
                note("free " + freed.type() + " " + freed.address() + " of mesh "
                        + freed.mesh().id());
                freed.free().run();
            }
        }

        /** What a bank lends, has left and can lend agree, and no two buffers of a mesh begin at one address. */
        private void requireConsistent(MeshDevice mesh) {
            for (BufferType type : List.of(BufferType.DRAM, BufferType.L1, BufferType.TRACE)) {
                Statistics bank = mesh.statistics(type);
                seen.add(bank.toString());
                assertThat(bank.totalAllocated() + bank.totalFree())
                        .as(this::description)
                        .isEqualTo(bank.totalAllocatable());
                assertThat(bank.largestFree()).as(this::description).isLessThanOrEqualTo(bank.totalFree());
            }
            assertThat(mesh.statistics(BufferType.L1_SMALL).totalAllocated())
                    .as(this::description)
                    .isEqualTo(3L * 256 * convolved.getOrDefault(mesh, Set.of()).size());
            List<String> places = held.stream()
                    .filter(buffer -> buffer.mesh() == mesh)
                    .flatMap(buffer -> buffer.places().stream())
                    .toList();
            assertThat(places).as(this::description).doesNotHaveDuplicates();
        }

        private void end() {
            Collections.shuffle(held, random);
            boolean leaks = random.nextInt(3) > 0;
            int kept = leaks ? random.nextInt(held.size() + 1) : 0;
            held.stream().limit(kept).forEach(buffer -> leaked.addAll(buffer.places()));
            held.stream().skip(kept).forEach(buffer -> buffer.free().run());
            workloads.forEach(MeshWorkload::close);
            meshes.forEach(MeshDevice::disableAndClearProgramCache);
            root.quiesceDevices();
            meshes.stream()
                    .sorted(Comparator.comparing(mesh -> mesh.parent().isEmpty()))
                    .forEach(MeshDevice::close);
        }

        private void judge() {
            LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

            TreeSet<String> called = new TreeSet<>();
            verdict.survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED)
                    .forEach(survivor -> called.add(placeOf(survivor.buffer())));
            assertThat(called).as(this::description).isEqualTo(leaked);
            assertThat(verdict.survivors()).as(this::description).hasSameSizeAs(leaked);
            assertThat(verdict.outcome())
                    .as(this::description)
                    .isEqualTo(
                            !leaked.isEmpty()
                                    ? Outcome.LEAKED
                                    : verdict.overwrites().isEmpty() ? Outcome.LEAK_FREE : Outcome.OVERWRITTEN);
        }

        private static String placeOf(BufferGeneration buffer) {
            return String.format(
                    Locale.ROOT,
                    "mesh %d device %d %s %d",
                    buffer.reports().get(0).request().details().mesh().orElse(-1),
                    buffer.device(),
                    buffer.type(),
                    buffer.address());
        }

        private void note(String step) {
            steps.add(step);
        }

        private String description() {
            return String.format(
                    Locale.ROOT,
                    "reproduce with -Dmeshguard.seed=%d%n%s",
                    seed,
                    String.join(System.lineSeparator(), steps));
        }
    }
}
