package dev.meshguard.mesh;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;
import static dev.meshguard.mesh.runtime.RuntimeDefect.DEVICE_INITIALISED_TWICE;
import static dev.meshguard.mesh.runtime.RuntimeFix.CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS;
import static dev.meshguard.mesh.runtime.RuntimeFix.RESET_FABRIC_PROGRAM_ON_CLOSE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the runtime's own programs: when they allocate their buffers, when they free them, and with which result. */
class SystemProgramTests {

    private static final SystemProgram QUEUE = SystemProgram.commandQueue().withKernelBinary(1);
    private static final SystemProgram DISPATCH = SystemProgram.dispatch().withKernelBinary(2);
    private static final SystemProgram FABRIC = SystemProgram.fabric().withKernelBinary(3);
    private static final SystemProgram ROUTER = SystemProgram.ethernetRouter().withCircularBuffer(4_096);

    private static final long TOP_OF_DRAM = 1_073_741_824;

    private final RecordedReports reports = new RecordedReports();

    @Test
    void takesBuffersForEveryDeviceAndThenForEveryQueueOfTheMesh() {
        open(Ttnn.builder(reports)
                .systemProgram(QUEUE.withCircularBuffer(100))
                .systemProgram(FABRIC)
                .systemProgram(ROUTER)
                .systemProgram(DISPATCH));

        assertThat(reports.lines("allocated"))
                .containsExactly(
                        "allocated 0 DRAM 1073739776+6144 OWNING",
                        "allocated 0 L1 103776+4096 OWNING",
                        "allocated 0 DRAM 1073737728+4096 OWNING",
                        "allocated 1 DRAM 1073739776+6144 OWNING",
                        "allocated 1 L1 103776+4096 OWNING",
                        "allocated 1 DRAM 1073737728+4096 OWNING",
                        "allocated 0 L1 103776+100 OWNING",
                        "allocated 1 L1 103776+100 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 1 DRAM 1073739776+2048 NON_OWNING");
    }

    @Test
    void ownsItsBuffersByName() {
        open(Ttnn.builder(reports).systemProgram(QUEUE).systemProgram(ROUTER));

        assertThat(reports.requests())
                .extracting(details -> details.owner().map(Owner::toString).orElse("nobody"))
                .containsExactly(
                        "ethernet router \"device 0\"",
                        "ethernet router \"device 1\"",
                        "command queue \"0 of mesh 0\"");
        assertThat(reports.requests()).extracting(AllocationDetails::lifetime).containsOnly(BufferLifetime.SYSTEM);
        assertThat(reports.requests())
                .extracting(AllocationDetails::kind)
                .containsExactly(BufferKind.CIRCULAR_BUFFER, BufferKind.CIRCULAR_BUFFER, BufferKind.BUFFER);
    }

    @Test
    void isThereForEveryQueueOfEveryMeshUntilThatIsClosed() {
        MeshDevice mesh = Ttnn.builder(reports)
                .systemProgram(QUEUE)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(1, 2))
                        .withNumCommandQueues(2));
        MeshDevice part = mesh.createSubmesh(MeshShape.of(1, 1));

        part.close();
        mesh.close();

        assertThat(reports.lines("ended c"))
                .containsExactly(
                        "ended command queue \"0 of mesh 1\"",
                        "ended command queue \"1 of mesh 1\"",
                        "ended command queue \"0 of mesh 0\"",
                        "ended command queue \"1 of mesh 0\"");
        assertThat(reports.lines("freed")).hasSameSizeAs(reports.lines("allocated"));
    }

    @Test
    void isThereOnceForADeviceUntilTheLastMeshLetsGoOfIt() {
        Ttnn ttnn = Ttnn.builder(reports).systemProgram(DISPATCH).build();
        for (int openPeriod = 0; openPeriod < 2; openPeriod++) {
            reports.forget();
            List<MeshDevice> units = ttnn.createUnitMeshes(List.of(0, 1));

            units.get(0).close();
            assertThat(reports.lines("allocated")).hasSize(2);
            assertThat(reports.lines("freed")).isEmpty();

            units.get(1).close();
            assertThat(reports.lines("freed"))
                    .containsExactly("freed 0 DRAM 1073739776 OWNING", "freed 1 DRAM 1073739776 OWNING");
        }
    }

    @Test
    void endsInTheOrderOfTheRuntimeWhichLeavesTheFabric() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemProgram(QUEUE)
                .systemProgram(DISPATCH)
                .systemProgram(FABRIC)
                .systemProgram(ROUTER));
        reports.forget();

        mesh.close();

        assertThat(reports.lines())
                .containsExactly(
                        "phase CLOSE",
                        "closing mesh 0",
                        "witnessed CLOSE_BEGUN",
                        "witnessed CLOSE_BEGUN",
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING",
                        "ended command queue \"0 of mesh 0\"",
                        "witnessed BEFORE_WIPE",
                        "witnessed BEFORE_WIPE",
                        "witnessed AFTER_WIPE",
                        "witnessed AFTER_WIPE",
                        "freed 0 L1 103776 OWNING",
                        "ended ethernet router \"device 0\"",
                        "freed 0 DRAM 1073739776 OWNING",
                        "ended dispatch \"device 0\"",
                        "freed 1 L1 103776 OWNING",
                        "ended ethernet router \"device 1\"",
                        "freed 1 DRAM 1073739776 OWNING",
                        "ended dispatch \"device 1\"",
                        "closed device 0",
                        "closed device 1",
                        "closed mesh 0",
                        "end of phase CLOSE",
                        "phase AFTER_CLOSE");
    }

    @Test
    void findsItsMemoryWipedWhereTheDeviceDropsItAfterItsAllocator() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemProgram(QUEUE)
                .systemProgram(SystemProgram.dispatch().withKernelBinary(24)));

        mesh.close();

        assertThat(reports.listed(BEFORE_WIPE, AllocatorId.DEVICE, 0, DRAM))
                .as("the queue's page of each bank is free again, the two of dispatch are not")
                .containsExactly(TOP_OF_DRAM - 4_096);
        assertThat(reports.lines("freed 0")).hasSize(2);
    }

    @Test
    void findsItsMemoryWhenCommandQueueProgramsAreClearedFirst() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemProgram(DISPATCH)
                .systemProgram(FABRIC)
                .fixes(CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS));

        mesh.close();

        assertThat(reports.listed(BEFORE_WIPE, AllocatorId.DEVICE, 0, DRAM))
                .as("only the fabric's")
                .containsExactly(TOP_OF_DRAM - 4_096);
        assertThat(reports.lines("freed 0"))
                .as("and nobody frees that")
                .containsExactly("freed 0 DRAM 1073739776 OWNING");
    }

    @Test
    void isReportedWhenTheFabricProgramIsResetThoughItFindsNothing() {
        MeshDevice mesh = open(Ttnn.builder(reports).systemProgram(FABRIC).fixes(RESET_FABRIC_PROGRAM_ON_CLOSE));

        mesh.close();

        assertThat(reports.listed(BEFORE_WIPE, AllocatorId.DEVICE, 0, DRAM)).containsExactly(TOP_OF_DRAM - 2_048);
        assertThat(reports.lines("freed 0")).containsExactly("freed 0 DRAM 1073739776 OWNING");
        assertThat(reports.lines("ended")).contains("ended fabric \"device 0\"");
    }

    @Test
    void findsNothingWhenTheMeshWipesItsAllocatorFirst() {
        MeshDevice mesh = open(Ttnn.builder(reports).systemProgram(QUEUE).closeOrder(CloseOrder.ALLOCATORS_FIRST));
        reports.forget();

        mesh.close();

        assertThat(reports.listed(BEFORE_WIPE, AllocatorId.MESH, 0, DRAM)).containsExactly(TOP_OF_DRAM - 2_048);
        assertThat(reports.lines()).containsSubsequence("witnessed AFTER_WIPE", "freed 0 DRAM 1073739776 NON_OWNING");
    }

    @Test
    void freesNoPersistentBuffers() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemProgram(QUEUE.withLifetime(BufferLifetime.PERSISTENT))
                .systemProgram(DISPATCH.withLifetime(BufferLifetime.PERSISTENT))
                .systemProgram(FABRIC.withLifetime(BufferLifetime.PERSISTENT))
                .fixes(RESET_FABRIC_PROGRAM_ON_CLOSE));

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.requests()).extracting(AllocationDetails::lifetime).containsOnly(BufferLifetime.PERSISTENT);
    }

    @Test
    void appearsUnderTheFirstDeviceOnTheTrackingBranch() {
        open(Ttnn.builder(reports)
                .preset(RuntimePreset.OCTOBER_2025)
                .systemProgram(SystemProgram.commandQueue().withCircularBuffer(64)));

        assertThat(reports.lines("allocated")).containsExactly("allocated 0 L1 101152+64 OWNING");
    }

    @Test
    void losesWhatItHeldWhenADeviceIsInitialisedTwice() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemProgram(QUEUE)
                .systemProgram(DISPATCH)
                .defects(DEVICE_INITIALISED_TWICE));

        mesh.close();

        assertThat(reports.lines("allocated 0")).hasSize(4);
        assertThat(reports.lines("freed 0")).hasSize(2);
    }

    @Test
    void isSilentAboutItsBinaryWhereAllocatorsAreClearedWithoutAReport() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemProgram(QUEUE.withCircularBuffer(64))
                .defects(ALLOCATOR_CLEARS_WITHOUT_REPORTING));

        mesh.close();

        assertThat(reports.lines("freed 0")).containsExactly("freed 0 L1 103776 OWNING");
        assertThat(reports.listed(BEFORE_WIPE, AllocatorId.MESH, 0, DRAM)).isEmpty();
    }

    @Test
    void closesTheMeshThatItLeavesNoRoom() {
        Ttnn.Builder runtime = Ttnn.builder(reports)
                .systemProgram(DISPATCH)
                .systemProgram(
                        SystemProgram.commandQueue().withCircularBuffer(64).withKernelBinary(10_000_000));

        assertThatThrownBy(() -> open(runtime)).isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(reports.lines("freed"))
                .hasSameSizeAs(reports.lines("allocated"))
                .hasSize(4);
        assertThat(reports.lines("closed mesh")).hasSize(1);
    }

    @Test
    void takesNothingWhereItsCircularBuffersDoNotFit() {
        Ttnn.Builder runtime = Ttnn.builder(reports).systemProgram(DISPATCH.withCircularBuffer(1_400_000));

        assertRuntimeErrorBeginning(
                () -> open(runtime),
                "Statically allocated circular buffers on core range [0-0 - 7-7] grow to 1503776 B"
                        + " which is beyond max L1 size of 1499136 B\n");

        assertThat(reports.lines("allocated")).isEmpty();
        assertThat(reports.lines("closed mesh")).hasSize(1);
    }

    @Test
    void isOneOfTheFourThatTheRuntimeHas() {
        assertIllegalArgument(
                () -> new SystemProgram(Owner.Kind.TRACE, 1, List.of(), BufferLifetime.SYSTEM),
                "The runtime runs no program of kind TRACE for itself:"
                        + " use COMMAND_QUEUE, DISPATCH, FABRIC or ETHERNET_ROUTER");
        assertThatThrownBy(() -> DISPATCH.withKernelBinary(-1))
                .hasMessage("Cannot give a program of kind DISPATCH -1 binary pages and circular buffers of [] B:"
                        + " pages are 0 or more, and a circular buffer holds at least 1 B");
        assertThatThrownBy(() -> DISPATCH.withCircularBuffer(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DISPATCH.withLifetime(BufferLifetime.USER))
                .hasMessage("Cannot leave the buffers of a program of kind DISPATCH to the code under test:"
                        + " use SYSTEM or PERSISTENT");
    }

    private static MeshDevice open(Ttnn.Builder runtime) {
        return runtime.build().openMeshDevice(MeshShape.of(1, 2));
    }
}
