package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryShortage.Reason;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
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
import org.junit.jupiter.api.Test;

/** Tests what the errors of a mesh without room say about its memory. */
class InsufficientMemoryTests {

    private static final long BANK = 1_395_360;
    private static final int BANKS = 64;
    private static final long PAGE = 32;
    private static final long THIRD = BANK / 3 / PAGE * PAGE;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final MeshDevice mesh = open(Ttnn.builder(tracker));

    @Test
    void namesLabelsOwnersAndLinesOfAFullMemory() {
        mesh.allocate(labelled("kv-cache", 2 * THIRD));

        InsufficientMemoryException error = rejected(2 * THIRD);

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
    void namesWhatSitsInTheWayInAFragmentedMemory() {
        MeshBuffer first = mesh.allocate(labelled("first", THIRD));
        MeshBuffer middle = mesh.allocate(labelled("middle", THIRD));
        MeshBuffer last = mesh.allocate(labelled("last", THIRD));
        first.deallocate();
        last.deallocate();

        InsufficientMemoryException error = rejected(2 * THIRD);

        assertThat(error.shortage()).hasValueSatisfying(shortage -> {
            assertThat(shortage.reason()).isEqualTo(Reason.FRAGMENTED);
            assertThat(shortage.room().orElseThrow().holders().get(0).label()).contains("middle");
        });
        middle.deallocate();
        mesh.allocate(labelled("request", 2 * THIRD));
    }

    @Test
    void saysTheSameAfterTheMemoryHasChanged() {
        MeshBuffer cache = mesh.allocate(labelled("kv-cache", 2 * THIRD));
        InsufficientMemoryException error = rejected(2 * THIRD);

        cache.deallocate();
        mesh.close();

        assertThat(error.getMessage()).contains("908.44 KiB  1 buffer, label \"kv-cache\", allocated at ");
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

        InsufficientMemoryException error = catchThrowableOfType(
                InsufficientMemoryException.class,
                () -> mesh.allocateOn(0, BufferConfig.of(BufferType.L1, 2 * THIRD * BANKS, PAGE)));

        assertThat(error.holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.label()).contains("of device 0"));
        own.deallocate();
        assertThat(mesh.allocateOn(0, BufferConfig.of(BufferType.L1, 2 * THIRD * BANKS, PAGE))
                        .isAllocated())
                .isTrue();
    }

    @Test
    void namesMemoryOfSubDevices() {
        CoreRange cores = new CoreRange(0, 0, 1, 1);
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(new SubDevice(CoreRangeSet.of(cores))), 3_200));
        MeshBufferConfig ofSubDevice = MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 4 * 2_048, 2_048)
                .heightSharded(CoreRangeSet.of(cores))
                .on(new SubDeviceId(0))
                .named("local"));
        mesh.allocate(ofSubDevice);

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> mesh.allocate(ofSubDevice));

        assertThat(error.holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.label()).contains("local"));
    }

    @Test
    void namesTheProgramAndTheBuffersThatClash() {
        Ttnn ttnn = Ttnn.builder(tracker).build();
        MeshDevice device = ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));
        MeshBuffer inTheWay = device.allocate(labelled("activations", THIRD));
        Program program = ttnn.createProgram("add");
        program.addCircularBuffer(CircularBufferConfig.of(1_200_000));
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> device.enqueueMeshWorkload(workload));

        assertThat(error).hasMessageStartingWith("Statically allocated circular buffers in program ");
        assertThat(error).hasMessageContaining("\noccupied: the circular buffers of program 1 (add) need 1.14 MiB");
        assertThat(error.holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.label()).contains("activations"));
        inTheWay.deallocate();
        device.enqueueMeshWorkload(workload);
    }

    @Test
    void namesOnlyWhatLiesWhereASubDeviceManagerNeedsL1() {
        mesh.loadSubDeviceManager(divided(3_200));
        SubDeviceManagerId larger = divided(6_400);
        MeshBuffer inTheWay = mesh.allocate(bottomUp("in the way", 3_200));
        mesh.allocate(bottomUp("innocent", 3_200));

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> mesh.loadSubDeviceManager(larger));

        assertThat(error.holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.label()).contains("in the way"));
        inTheWay.deallocate();
        mesh.loadSubDeviceManager(larger);
    }

    @Test
    void countsTheL1OfAnotherManagerAsRoomForSubDevices() {
        mesh.loadSubDeviceManager(divided(700_000));
        SubDeviceManagerId larger = divided(900_000);
        mesh.allocate(bottomUp("in the way", 3_200));

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> mesh.loadSubDeviceManager(larger));

        assertThat(error.shortage())
                .hasValueSatisfying(shortage -> assertThat(shortage.reason()).isEqualTo(Reason.OCCUPIED));
    }

    @Test
    void namesNoBufferOfASubDeviceOnWhichTheProgramDoesNotRun() {
        Ttnn ttnn = Ttnn.builder(tracker).build();
        MeshDevice device = ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));
        CoreRangeSet first = CoreRangeSet.of(new CoreRange(0, 0, 0, 0));
        CoreRangeSet second = CoreRangeSet.of(new CoreRange(1, 1, 1, 1));
        device.loadSubDeviceManager(
                device.createSubDeviceManager(List.of(new SubDevice(first), new SubDevice(second)), 64_000));
        device.allocate(onSubDevice("own", first, 0, 32_000));
        device.allocate(onSubDevice("of another", second, 1, 32_000));
        Program program = ttnn.createProgram("add");
        program.addCircularBuffer(
                CircularBufferConfig.of(60_000).on(first.ranges().get(0)));
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> device.enqueueMeshWorkload(workload));

        assertThat(error.holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.label()).contains("own"));
    }

    @Test
    void namesAllThatClashesWithAProgramOfSeveralStacks() {
        Ttnn ttnn = Ttnn.builder(tracker).build();
        MeshDevice device = ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));
        MeshBuffer high = device.allocate(labelled("high", 200_000 / PAGE * PAGE));
        MeshBuffer low = device.allocate(labelled("low", 200_000 / PAGE * PAGE));
        Program program = ttnn.createProgram("add");
        program.addCircularBuffer(CircularBufferConfig.of(1_100_000).on(new CoreRange(0, 0, 0, 0)));
        program.addCircularBuffer(CircularBufferConfig.of(1_300_000).on(new CoreRange(1, 1, 1, 1)));
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> device.enqueueMeshWorkload(workload));

        assertThat(error.holders()).hasSize(2);
        high.deallocate();
        low.deallocate();
        device.enqueueMeshWorkload(workload);
    }

    @Test
    void namesTheBuffersThatKeepAManagerOfSubDevicesLoaded() {
        SubDeviceManagerId loaded = divided(4_096);
        SubDeviceManagerId other = divided(8_192);
        mesh.loadSubDeviceManager(loaded);
        MeshBuffer local = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 4 * 1_024, 1_024)
                .heightSharded(CoreRangeSet.of(new CoreRange(0, 0, 1, 1)))
                .on(new SubDeviceId(0))
                .named("scratch")));

        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> mesh.loadSubDeviceManager(other));

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
    void advisesATraceRegionForTheLiveTracesAndTheRejectedOne() {
        MeshDevice traced = Ttnn.builder(tracker)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(1, 2))
                        .withTraceRegionSize(30_720));
        traced.endMeshTrace(0, traced.beginMeshTrace(0), 20_480);

        for (int rejected = 0; rejected < 2; rejected++) {
            TraceId trace = traced.beginMeshTrace(0);
            InsufficientMemoryException error = catchThrowableOfType(
                    InsufficientMemoryException.class, () -> traced.endMeshTrace(0, trace, 20_480));

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
        assertThat(catchThrowableOfType(InsufficientMemoryException.class, () -> traced.endMeshTrace(0, small, 1_024)))
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
        return catchThrowableOfType(
                InsufficientMemoryException.class, () -> mesh.allocate(labelled("request", perBank)));
    }

    private SubDeviceManagerId divided(long localL1) {
        return mesh.createSubDeviceManager(List.of(new SubDevice(CoreRangeSet.of(new CoreRange(0, 0, 1, 1)))), localL1);
    }

    private static MeshBufferConfig bottomUp(String label, long perBank) {
        return MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, perBank * BANKS, PAGE)
                .inDirection(AllocationDirection.BOTTOM_UP)
                .named(label));
    }

    private static MeshBufferConfig onSubDevice(String label, CoreRangeSet cores, int subDevice, long size) {
        return MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, size, size)
                .heightSharded(cores)
                .on(new SubDeviceId(subDevice))
                .named(label));
    }

    private static MeshBufferConfig labelled(String label, long perBank) {
        return MeshBufferConfig.replicated(
                BufferConfig.of(BufferType.L1, perBank * BANKS, PAGE).named(label));
    }

    private static MeshDevice open(Ttnn.Builder ttnn) {
        return ttnn.build().openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));
    }
}
