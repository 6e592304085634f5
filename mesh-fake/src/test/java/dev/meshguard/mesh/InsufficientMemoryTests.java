package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.shortage.MemoryShortage.Holder;
import dev.meshguard.event.shortage.MemoryShortage.Reason;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests what the errors of a mesh without room say about its memory. */
class InsufficientMemoryTests {

    private static final long BANK = 1_395_360;
    private static final int BANKS = 64;
    private static final long PAGE = 32;
    private static final long THIRD = BANK / 3 / PAGE * PAGE;
    private static final CoreRangeSet FOUR_CORES = CoreRangeSet.of(new CoreRange(0, 0, 1, 1));

    private final AllocationTracker tracker = AllocationTracker.create();
    private final Ttnn ttnn = Ttnn.create(tracker);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    @Test
    void namesLabelsOwnersAndLinesOfAFullMemory() {
        MeshBuffer cache = mesh.allocate(labelled("kv-cache", 2 * THIRD));

        InsufficientMemoryException error = rejected(2 * THIRD);
        cache.deallocate();

        assertThat(error).isInstanceOf(DeviceOutOfMemoryException.class);
        assertThat(error.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.label()).contains("kv-cache");
            assertThat(holder.bytes()).isEqualTo(2 * THIRD);
            assertThat(holder.line())
                    .hasValueSatisfying(line ->
                            assertThat(line.getMethodName()).isEqualTo("namesLabelsOwnersAndLinesOfAFullMemory"));
        });
        assertThat(error.getMessage().replaceAll("Tests\\.java:\\d+", "Tests.java:N"))
                .isEqualTo(error.runtimeMessage() + """

                        full: each bank has to store 908.44 KiB (930240 B), and has 454.22 KiB (465120 B) free
                        held in each bank:
                          908.44 KiB  1 buffer, label "kv-cache", allocated at \
                        dev.meshguard.mesh.InsufficientMemoryTests.namesLabelsOwnersAndLinesOfAFullMemory\
                        (InsufficientMemoryTests.java:N)
                        to make room, free 908.44 KiB of each bank, all that is listed""");
    }

    @Test
    void namesBuffersWithoutLinesWhereNothingIsRecorded() {
        MeshDevice untracked = open(Ttnn.builder(new RecordedReports()));
        untracked.allocate(labelled("kv-cache", 2 * THIRD));

        assertThat(rejected(untracked, 2 * THIRD)).hasMessageEndingWith("""
                held in each bank:
                  908.44 KiB  1 buffer, label "kv-cache"
                to make room, free 908.44 KiB of each bank, all that is listed""");
    }

    @Test
    void namesMemoryOfOneDeviceAndOfTheMeshApart() {
        mesh.allocate(labelled("of the mesh", 2 * THIRD));
        Buffer own = mesh.allocateOn(
                0, BufferConfig.of(BufferType.L1, 2 * THIRD * BANKS, PAGE).named("of device 0"));

        InsufficientMemoryException error =
                rejected(() -> mesh.allocateOn(0, BufferConfig.of(BufferType.L1, 2 * THIRD * BANKS, PAGE)));

        assertThat(error.holders()).extracting(Holder::label).containsExactly(Optional.of("of device 0"));
        own.deallocate();
        assertThat(mesh.allocateOn(0, BufferConfig.of(BufferType.L1, 2 * THIRD * BANKS, PAGE))
                        .isAllocated())
                .isTrue();
    }

    @Test
    void namesMemoryOfSubDevices() {
        mesh.loadSubDeviceManager(divided(3_200));
        BufferConfig ofSubDevice = onSubDevice("local", FOUR_CORES, 0, 2_048);
        mesh.allocate(ofSubDevice);

        InsufficientMemoryException error = rejected(() -> mesh.allocate(ofSubDevice));

        assertThat(error.holders()).extracting(Holder::label).containsExactly(Optional.of("local"));
    }

    @Test
    void namesTheProgramAndTheBuffersThatClash() {
        MeshBuffer inTheWay = mesh.allocate(labelled("activations", THIRD));
        MeshWorkload workload = withCircularBuffers(CircularBufferConfig.of(1_200_000));

        InsufficientMemoryException error = rejected(() -> mesh.enqueueMeshWorkload(workload));

        assertThat(error).hasMessageStartingWith("Statically allocated circular buffers in program ");
        assertThat(error).hasMessageContaining("\noccupied: the circular buffers of program 1 (add) need 1.14 MiB");
        assertThat(error.holders()).extracting(Holder::label).containsExactly(Optional.of("activations"));
        inTheWay.deallocate();
        mesh.enqueueMeshWorkload(workload);
    }

    @Test
    void namesOnlyWhatLiesWhereASubDeviceManagerNeedsL1() {
        mesh.loadSubDeviceManager(divided(3_200));
        SubDeviceManagerId larger = divided(6_400);
        MeshBuffer inTheWay = mesh.allocate(bottomUp("in the way", 3_200));
        mesh.allocate(bottomUp("innocent", 3_200));

        InsufficientMemoryException error = rejected(() -> mesh.loadSubDeviceManager(larger));

        assertThat(error.holders()).extracting(Holder::label).containsExactly(Optional.of("in the way"));
        inTheWay.deallocate();
        mesh.loadSubDeviceManager(larger);
    }

    @Test
    void countsTheL1OfAnotherManagerAsRoomForSubDevices() {
        mesh.loadSubDeviceManager(divided(700_000));
        SubDeviceManagerId larger = divided(900_000);
        mesh.allocate(bottomUp("in the way", 3_200));

        InsufficientMemoryException error = rejected(() -> mesh.loadSubDeviceManager(larger));

        assertThat(error.shortage())
                .hasValueSatisfying(shortage -> assertThat(shortage.reason()).isEqualTo(Reason.OCCUPIED));
    }

    @Test
    void namesNoBufferOfASubDeviceOnWhichTheProgramDoesNotRun() {
        CoreRangeSet first = CoreRangeSet.of(new CoreRange(0, 0, 0, 0));
        CoreRangeSet second = CoreRangeSet.of(new CoreRange(1, 1, 1, 1));
        mesh.loadSubDeviceManager(
                mesh.createSubDeviceManager(List.of(new SubDevice(first), new SubDevice(second)), 64_000));
        mesh.allocate(onSubDevice("own", first, 0, 32_000));
        mesh.allocate(onSubDevice("of another", second, 1, 16_000));
        MeshWorkload workload = withCircularBuffers(
                CircularBufferConfig.of(60_000).on(first.ranges().get(0)));

        InsufficientMemoryException error = rejected(() -> mesh.enqueueMeshWorkload(workload));

        assertThat(error.holders()).extracting(Holder::label).containsExactly(Optional.of("own"));
    }

    @Test
    void namesAllThatClashesWithAProgramOfSeveralStacks() {
        MeshBuffer high = mesh.allocate(labelled("high", 200_000 / PAGE * PAGE));
        MeshBuffer low = mesh.allocate(labelled("low", 200_000 / PAGE * PAGE));
        MeshWorkload workload = withCircularBuffers(
                CircularBufferConfig.of(1_100_000).on(new CoreRange(0, 0, 0, 0)),
                CircularBufferConfig.of(1_300_000).on(new CoreRange(1, 1, 1, 1)));

        InsufficientMemoryException error = rejected(() -> mesh.enqueueMeshWorkload(workload));

        assertThat(error.holders()).hasSize(2);
        high.deallocate();
        low.deallocate();
        mesh.enqueueMeshWorkload(workload);
    }

    @Test
    void namesTheBuffersThatKeepAManagerOfSubDevicesLoaded() {
        SubDeviceManagerId loaded = divided(4_096);
        SubDeviceManagerId other = divided(8_192);
        mesh.loadSubDeviceManager(loaded);
        MeshBuffer local = mesh.allocate(onSubDevice("scratch", FOUR_CORES, 0, 1_024));

        InsufficientMemoryException error = rejected(() -> mesh.loadSubDeviceManager(other));

        assertThat(error).hasMessageStartingWith("""
                Cannot switch sub device managers while sub devices still have local allocations
                occupied: the mesh and the sub-devices of manager 2 need 4 KiB (4096 B) from 0x19560 (103776) to 0x1a560 (107872)
                there, in each bank:
                  1 KiB  1 buffer, label "scratch", allocated at \
                dev.meshguard.mesh.InsufficientMemoryTests.namesTheBuffersThatKeepAManagerOfSubDevicesLoaded(""");
        assertThat(error).hasMessageEndingWith("to make room, free 1 KiB of each bank, all that is listed");
        local.deallocate();
        mesh.loadSubDeviceManager(other);
        mesh.clearLoadedSubDeviceManager();
    }

    @Test
    void countsTheBuffersOfOneSubDeviceWhereSeveralKeepTheirManagerLoaded() {
        CoreRangeSet left = CoreRangeSet.of(new CoreRange(0, 0, 1, 1));
        CoreRangeSet right = CoreRangeSet.of(new CoreRange(2, 0, 3, 1));
        SubDeviceManagerId two = mesh.createSubDeviceManager(List.of(new SubDevice(left), new SubDevice(right)), 4_096);
        SubDeviceManagerId other = divided(8_192);
        mesh.loadSubDeviceManager(two);
        mesh.allocate(onSubDevice("left", left, 0, 3_072));
        mesh.allocate(onSubDevice("right", right, 1, 3_072));

        InsufficientMemoryException error = rejected(() -> mesh.loadSubDeviceManager(other));

        assertThat(error).hasMessageContaining("""
                occupied: the mesh and the sub-devices of manager 2 (here on the cores of sub-device 0; sub-device 1 has buffers \
                too) need 4 KiB (4096 B)""");
        assertThat(error).hasMessageContaining("  3 KiB  1 buffer, label \"left\"");
        assertThat(error).hasMessageEndingWith("to make room, free 3 KiB of each bank, all that is listed");
    }

    @Test
    void advisesATraceRegionForTheLiveTracesAndTheRejectedOne() {
        MeshDevice traced = Ttnn.builder(tracker)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(1, 2))
                        .withTraceRegionSize(30_720));
        traced.endMeshTrace(0, traced.beginMeshTrace(0), 20_480);

        for (int rejected = 0; rejected < 2; rejected++) {
            TraceId trace = traced.beginMeshTrace(0);
            InsufficientMemoryException error = rejected(() -> traced.endMeshTrace(0, trace, 20_480));

            assertThat(error).hasMessageContaining("""
                    too small: the traces need 40 KiB (40960 B) in total over 12 banks, and the trace_region_size permits 30 KiB (30720 B). \
                    In each bank the new one needs 2 KiB (2048 B), and 28 KiB (28672 B) of the region is free
                    held in each bank:
                      2 KiB  1 buffer""");
            assertThat(error)
                    .hasMessageEndingWith(
                            "to make room, open the mesh with a trace_region_size of at least 40960, which each bank sets aside");
            traced.releaseMeshTrace(trace);
        }
        TraceId small = traced.beginMeshTrace(0);
        assertThat(rejected(() -> traced.endMeshTrace(0, small, 1_024)))
                .hasMessageEndingWith(
                        "close the mesh and open it again: until then the runtime counts traces that were rejected");
    }

    @Test
    void saysThatAnInjectedFailureIsOne() {
        MeshDevice failing = open(Ttnn.builder(tracker).faults(FaultPlan.none().failingAllocation(1)));

        InsufficientMemoryException error = rejected(failing, PAGE);

        assertThat(error.shortage()).isEmpty();
        assertThat(error.holders()).isEmpty();
        assertThat(error).hasMessage(error.runtimeMessage() + "\ninjected: failingAllocation(1)");
    }

    @Test
    void keepsItsTextWhenItIsSerialised() throws IOException, ClassNotFoundException {
        mesh.allocate(labelled("kv-cache", 2 * THIRD));
        InsufficientMemoryException error = rejected(2 * THIRD);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(error);
        }

        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            InsufficientMemoryException read = (InsufficientMemoryException) in.readObject();
            assertThat(read).hasMessage(error.getMessage());
            assertThat(read.shortage()).isEmpty();
        }
    }

    private InsufficientMemoryException rejected(long perBank) {
        return rejected(mesh, perBank);
    }

    private static InsufficientMemoryException rejected(MeshDevice mesh, long perBank) {
        return rejected(() -> mesh.allocate(labelled("request", perBank)));
    }

    private static InsufficientMemoryException rejected(ThrowingCallable call) {
        return catchThrowableOfType(InsufficientMemoryException.class, call);
    }

    private MeshWorkload withCircularBuffers(CircularBufferConfig... configs) {
        Program program = ttnn.createProgram("add");
        for (CircularBufferConfig config : configs) {
            program.addCircularBuffer(config);
        }
        return ttnn.createMeshWorkload().addProgram(program);
    }

    private SubDeviceManagerId divided(long localL1) {
        return mesh.createSubDeviceManager(List.of(new SubDevice(FOUR_CORES)), localL1);
    }

    private static BufferConfig bottomUp(String label, long perBank) {
        return BufferConfig.of(BufferType.L1, perBank * BANKS, PAGE)
                .inDirection(AllocationDirection.BOTTOM_UP)
                .named(label);
    }

    /** A page on each core. */
    private static BufferConfig onSubDevice(String label, CoreRangeSet cores, int subDevice, long page) {
        return BufferConfig.of(BufferType.L1, page * cores.numCores(), page)
                .heightSharded(cores)
                .on(new SubDeviceId(subDevice))
                .named(label);
    }

    private static BufferConfig labelled(String label, long perBank) {
        return BufferConfig.of(BufferType.L1, perBank * BANKS, PAGE).named(label);
    }

    private static MeshDevice open(Ttnn.Builder ttnn) {
        return ttnn.build().openMeshDevice(MeshShape.of(1, 2));
    }
}
