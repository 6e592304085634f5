package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the steps of closing a mesh, their order, and what the close does not change. */
class MeshCloseTests {

    private static final MeshShape TWO_DEVICES = MeshShape.of(1, 2);
    private static final BufferConfig BUFFER = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final Owner QUEUE = new Owner(Owner.Kind.COMMAND_QUEUE, "0");
    private static final Owner FABRIC = new Owner(Owner.Kind.FABRIC, "router");

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);

    @Test
    void opensInTheOrderOfTheRuntime() {
        openWithSystemBuffer(QUEUE, BufferType.DRAM, BufferLifetime.SYSTEM);

        assertThat(reports.lines())
                .containsExactly(
                        "phase OPEN",
                        "opened mesh 0",
                        "opened device 0",
                        "opened device 1",
                        "allocated 0 DRAM 2968640+4096 NON_OWNING",
                        "allocated 1 DRAM 2968640+4096 NON_OWNING",
                        "end of phase OPEN");
    }

    @Test
    void takesSnapshotsAtTheStartAndBeforeAndAfterTheWipe() {
        MeshDevice mesh = openWithSystemBuffer(QUEUE, BufferType.DRAM, BufferLifetime.SYSTEM);
        mesh.allocate(BufferType.DRAM, 2_048);
        mesh.allocateOn(1, BufferConfig.of(BufferType.L1, 2_048, 2_048));

        mesh.close();

        assertThat(Moment.values())
                .extracting(moment -> reports.listed(moment, AllocatorId.MESH, 0, BufferType.DRAM))
                .containsExactly(List.of(2968640L, 2972736L), List.of(2972736L), List.of());
        assertThat(Moment.values())
                .extracting(moment -> reports.listed(moment, AllocatorId.DEVICE, 1, BufferType.L1))
                .containsExactly(List.of(1497088L), List.of(1497088L), List.of());
        assertThat(reports.readings())
                .hasSize(6)
                .extracting(reading -> reading.stateOf(1, BufferType.TRACE, 0))
                .containsOnly(WitnessSnapshot.AddressState.FREE);
    }

    @Test
    void neitherFreesNorReportsPersistentBuffers() {
        MeshDevice mesh = openWithSystemBuffer(FABRIC, BufferType.L1, BufferLifetime.PERSISTENT);

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.readings())
                .as("of the mesh's allocator: no device allocated from its own")
                .hasSize(3);
        assertThat(reports.requests()).singleElement().satisfies(details -> {
            assertThat(details.lifetime()).isEqualTo(BufferLifetime.PERSISTENT);
            assertThat(details.owner()).contains(FABRIC);
        });
    }

    @Test
    void closesOnceHoweverOftenItIsClosedOrDestroyed() {
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);

        ttnn.closeMeshDevice(mesh);
        ttnn.closeMeshDevice(mesh);
        mesh.destroy();

        assertThat(reports.lines("closed mesh")).containsExactly("closed mesh 0");
        MeshDevice destroyed = ttnn.openMeshDevice(TWO_DEVICES);
        destroyed.destroy();
        destroyed.destroy();
        assertThat(reports.lines("closed mesh")).containsExactly("closed mesh 0", "closed mesh 1");
    }

    @Test
    void isAfterCloseOnlyWhenNoMeshIsOpen() {
        List<MeshDevice> units = List.of(ttnn.openDevice(0), ttnn.openDevice(6));

        units.get(0).close();
        assertThat(reports.lines("phase AFTER_CLOSE")).isEmpty();

        units.get(1).close();
        assertThat(reports.lines("phase AFTER_CLOSE")).hasSize(1);
    }

    @Test
    void leavesHandlesAsTheyAreAndReportsTheirLaterFrees() {
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 2_048);

        mesh.close();

        assertThat(mesh.isOpen()).isFalse();
        assertThat(buffer.isAllocated()).isTrue();
        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.OWNED);
        buffer.close();
        assertThat(reports.lines("freed"))
                .containsExactly("freed 0 DRAM 2968640 NON_OWNING", "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void leavesTheProgramCacheAlone() {
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(a, a);

        mesh.close();

        assertThat(mesh.numProgramCacheEntries()).isEqualTo(1);
        assertThat(reports.lines("ended")).isEmpty();
    }

    @Test
    void doesNotReportAFreeOfAnEarlierOpenPeriodOnceTheDeviceIsOpenAgain() {
        MeshDevice first = ttnn.openMeshDevice(TWO_DEVICES);
        MeshBuffer stale = first.allocate(BufferType.DRAM, 2_048);
        first.close();
        MeshDevice second = ttnn.openMeshDevice(TWO_DEVICES);
        MeshBuffer live = second.allocate(BufferType.DRAM, 2_048);
        reports.forget();

        stale.deallocate();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
        assertThat(live.address()).isEqualTo(stale.address());
        assertThat(second.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2048);
    }

    @Test
    void rejectsAllocationsAfterwards() {
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        mesh.close();

        assertRuntimeError(
                () -> mesh.allocate(BufferType.DRAM, 2_048),
                "SubDeviceManagerTracker is not initialized on MeshDevice 0."
                        + " This MeshDevice contains only remote devices (so the runtime; in fact mesh 0 was closed:"
                        + " use it before closeMeshDevice, or open a new mesh)");
        assertMeshIsClosed(() -> mesh.allocateOn(0, BUFFER));
        assertMeshIsClosed(() -> mesh.view(BUFFER, 0));
        assertMeshIsClosed(() -> mesh.deallocateAddress(BufferType.DRAM, 0));
        assertMeshIsClosed(() -> mesh.enqueueMeshWorkload(Ttnn.create(reports).createMeshWorkload()));
    }

    @Test
    void endsCachedProgramsWhenTheMeshIsDestroyed() {
        Ttnn defective = Ttnn.builder(reports)
                .defects(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .build();
        MeshDevice mesh = defective.openMeshDevice(MeshShape.of(1, 1));
        Tensor a = defective.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        defective.add(a, a);
        mesh.close();
        reports.forget();

        mesh.destroy();

        assertThat(reports.lines())
                .containsExactly(
                        "ignored 0 DRAM 1073739776 DEVICE_CLOSED",
                        "freed 0 L1 103776 OWNING",
                        "freed 0 L1 107872 OWNING",
                        "freed 0 L1 111968 OWNING",
                        "ended program 1 (add)");
        assertThat(a.isAllocated()).isFalse();
    }

    private MeshDevice openWithSystemBuffer(Owner owner, BufferType memory, BufferLifetime lifetime) {
        return Ttnn.builder(reports)
                .systemBuffer(owner, memory, 4_096, lifetime)
                .build()
                .openMeshDevice(TWO_DEVICES);
    }
}
