package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.fault.InjectedFault;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.Test;

/** Tests the effect and the moment of each fault of a plan. */
class FaultsTests {

    private static final MeshShape TWO_DEVICES = MeshShape.of(1, 2);
    private static final TensorShape SHAPE = TensorShape.of(32, 32);
    private static final BufferConfig DRAM = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);

    private final RecordedReports reports = new RecordedReports();

    @Test
    void runsOutOfMemoryAtTheAllocationOfThePlanWithANoteThatNamesBoth() {
        FaultPlan plan = FaultPlan.none().failingAllocation(2, BufferType.L1).closingTwice();
        MeshDevice mesh = with(plan).openMeshDevice(TWO_DEVICES);
        mesh.allocate(BufferType.DRAM, 2_048);
        mesh.allocate(BufferType.DRAM, 2_048);
        mesh.allocate(BufferType.L1, 2_048);
        reports.forget();

        DeviceOutOfMemoryException error =
                catchThrowableOfType(DeviceOutOfMemoryException.class, () -> mesh.allocate(BufferType.L1, 2_048));

        assertThat(error)
                .hasMessageStartingWith(
                        "Out of Memory: Not enough space to allocate 2048 B L1 buffer across 64 banks, where each bank"
                                + " needs to store 2048 B, but bank size is 1395360 B (allocated: 2048 B, free: 1393312 B,"
                                + " largest free block: 1393312 B)\n");
        assertThat(InjectedFault.in(new RuntimeException(error))).hasValueSatisfying(note -> {
            assertThat(note.fault()).isEqualTo(plan.faults().get(0));
            assertThat(note).hasMessage("Injected: failingAllocation(2, L1), of " + plan);
        });
        assertThat(reports.lines()).isEmpty();
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(2_048);
        assertThatCode(() -> mesh.allocate(BufferType.L1, 2_048)).doesNotThrowAnyException();
    }

    @Test
    void putsNoNoteOnARealError() {
        MeshDevice mesh = with(FaultPlan.none().failingAllocation(5)).openMeshDevice(TWO_DEVICES);

        DeviceOutOfMemoryException error =
                catchThrowableOfType(DeviceOutOfMemoryException.class, () -> mesh.allocate(BufferType.L1, 1L << 40));

        assertThat(InjectedFault.in(error)).isEmpty();
    }

    @Test
    void countsTheAllocationsThatTakeMemoryOfTheDevice() {
        MeshDevice mesh =
                with(FaultPlan.none().failingAllocation(2).onDevice(1)).openMeshDevice(TWO_DEVICES);
        mesh.allocateOn(0, DRAM);
        mesh.allocateOn(0, DRAM);
        mesh.allocate(BufferType.DRAM, 2_048);
        mesh.allocate(BufferConfig.of(BufferType.DRAM, 0, 2_048));
        mesh.view(DRAM, 4_194_304);

        assertThatThrownBy(() -> mesh.allocateOn(1, DRAM)).isInstanceOf(DeviceOutOfMemoryException.class);
    }

    @Test
    void failsToOpenAMeshWhoseOwnBufferHasNoRoom() {
        Ttnn ttnn = Ttnn.builder(reports)
                .systemBuffer(new Owner(Owner.Kind.FABRIC, "0"), BufferType.DRAM, 4_096)
                .faults(FaultPlan.none().failingAllocation(1))
                .build();

        assertThatThrownBy(() -> ttnn.openMeshDevice(TWO_DEVICES)).isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(ttnn.openMeshDevices()).isEmpty();
        assertThatCode(() -> ttnn.openMeshDevice(TWO_DEVICES)).doesNotThrowAnyException();
    }

    @Test
    void failsTheOperationOfThePlanWhereItIsHandedOver() {
        Ttnn ttnn = with(FaultPlan.none().failingOperation(2, "add"));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.add(a, a);
        ttnn.matmul(a, a);
        reports.forget();

        assertThatThrownBy(() -> ttnn.add(a, a))
                .isExactlyInstanceOf(MeshRuntimeException.class)
                .hasMessage("Operation add failed: failingOperation(2, \"add\")")
                .satisfies(error -> assertThat(InjectedFault.in(error)).isPresent());

        assertThat(mesh.numProgramCacheEntries())
                .as("programs of add and matmul")
                .isEqualTo(2);
        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2974784+2048 NON_OWNING",
                        "allocated 1 DRAM 2974784+2048 NON_OWNING",
                        "freed 0 DRAM 2974784 NON_OWNING",
                        "freed 1 DRAM 2974784 NON_OWNING");
    }

    @Test
    void countsWorkloadsAndProgramsThatAreEnqueuedByHand() {
        Ttnn ttnn = with(FaultPlan.none()
                .failingOperation(1, "enqueueMeshWorkload")
                .failingOperation(1, "enqueueProgram")
                .onDevice(1));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Program program = ttnn.createProgram("mine");

        mesh.enqueueProgram(0, program);

        assertThatThrownBy(() -> mesh.enqueueProgram(1, program))
                .hasMessage("Operation enqueueProgram failed: failingOperation(1, \"enqueueProgram\").onDevice(1)");
        assertThatThrownBy(() ->
                        mesh.enqueueMeshWorkload(ttnn.createMeshWorkload().addProgram(ttnn.createProgram("other"))))
                .hasMessage("Operation enqueueMeshWorkload failed: failingOperation(1, \"enqueueMeshWorkload\")");
    }

    @Test
    void timesOutOnADeviceThatStoppedAnswering() {
        Ttnn ttnn = with(FaultPlan.none().deviceStopsAnswering(1, 2));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        Tensor sum = ttnn.add(a, a);

        assertThatThrownBy(() -> ttnn.add(a, a))
                .isExactlyInstanceOf(MeshRuntimeException.class)
                .hasMessage("TIMEOUT: device timeout, potential hang detected, the device is unrecoverable");
        assertThatThrownBy(() -> ttnn.add(a, sum))
                .isExactlyInstanceOf(MeshRuntimeException.class)
                .hasMessage("TIMEOUT: device timeout in fetch queue wait, potential hang detected")
                .satisfies(error -> assertThat(InjectedFault.in(error)).isPresent());
    }

    @Test
    void usesTheDevicesThatAnswerAndTheMemoryOfTheOneThatDoesNot() {
        Ttnn ttnn = with(FaultPlan.none().deviceStopsAnswering(1, 1));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        MeshDevice others = ttnn.openDevice(6);
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        Tensor b = ttnn.empty(SHAPE, DataType.BFLOAT16, others);
        assertThatThrownBy(() -> ttnn.add(a, a)).hasMessageStartingWith("TIMEOUT");
        reports.forget();

        mesh.enqueueProgram(0, ttnn.createProgram("mine"));
        assertThat(ttnn.add(b, b).isAllocated()).isTrue();
        ttnn.deallocate(a);
        mesh.allocateOn(1, DRAM);

        assertThat(reports.lines("freed"))
                .containsExactly("freed 0 DRAM 2968640 NON_OWNING", "freed 1 DRAM 2968640 NON_OWNING");
        assertThat(reports.lines("allocated 1")).containsExactly("allocated 1 DRAM 2968640+2048 OWNING");
    }

    @Test
    void closesADeviceThatDoesNotAnswerAndCannotInitialiseItAgain() {
        Ttnn ttnn = with(FaultPlan.none().deviceStopsAnswering(1, 1));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);

        ttnn.closeMeshDevice(mesh);

        assertThat(reports.lines("closed")).containsExactly("closed device 0", "closed device 1", "closed mesh 0");
        assertThatThrownBy(() -> ttnn.openMeshDevice(TWO_DEVICES))
                .isExactlyInstanceOf(MeshRuntimeException.class)
                .hasMessage("Device 1 init: failed to initialize FW! Try resetting the board.");
        assertThat(ttnn.openMeshDevices()).isEmpty();
    }

    @Test
    void closesDevicesInTheOrderOfThePlan() {
        Ttnn ttnn = with(FaultPlan.none().closingDevicesInOrder(3, 1, 99));

        ttnn.closeMeshDevice(ttnn.openMeshDevice(MeshShape.of(1, 4)));

        assertThat(reports.lines("closed device"))
                .containsExactly("closed device 3", "closed device 1", "closed device 0", "closed device 2");
    }

    @Test
    void reportsAMeshThatIsClosedTwiceAsClosedOnce() {
        Ttnn ttnn = with(FaultPlan.none().closingTwice());

        ttnn.closeMeshDevice(ttnn.openMeshDevice(TWO_DEVICES));

        assertThat(reports.lines("closed mesh")).containsExactly("closed mesh 0");
        assertThat(ttnn.outstandingFaults()).isEmpty();
    }

    @Test
    void closesTheMeshOfAnOperationThatRuns() {
        Ttnn ttnn = with(FaultPlan.none().closingDuringOperation(2, "add"));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.add(a, a);
        reports.forget();

        assertThatThrownBy(() -> ttnn.add(a, a))
                .isExactlyInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.")
                .satisfies(error -> assertThat(InjectedFault.in(error)).isPresent());

        assertThat(mesh.isOpen()).isFalse();
        assertThat(reports.lines())
                .startsWith("allocated 0 DRAM 2972736+2048 NON_OWNING", "allocated 1 DRAM 2972736+2048 NON_OWNING")
                .contains("closed mesh 0")
                .endsWith("freed 0 DRAM 2972736 NON_OWNING", "freed 1 DRAM 2972736 NON_OWNING");
    }

    @Test
    void throwsTheErrorOfTheOperationAndNotOfItsResultInAStrictRuntime() {
        Ttnn ttnn = Ttnn.builder(reports)
                .strict()
                .faults(FaultPlan.none().closingDuringOperation(1))
                .build();
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, ttnn.openMeshDevice(TWO_DEVICES));

        assertMeshIsClosed(() -> ttnn.add(a, a));
    }

    @Test
    void describesFaultsThatHaveNotHappened() {
        Ttnn ttnn = with(FaultPlan.none()
                .failingAllocation(1)
                .onDevice(7)
                .failingOperation(3)
                .failingAllocation(1));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);

        assertThatThrownBy(() -> mesh.allocateOn(0, DRAM)).isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(ttnn.outstandingFaults())
                .extracting(Fault::toString)
                .containsExactly("failingAllocation(1).onDevice(7)", "failingOperation(3)");
    }

    private Ttnn with(FaultPlan plan) {
        return Ttnn.builder(reports).faults(plan).build();
    }
}
