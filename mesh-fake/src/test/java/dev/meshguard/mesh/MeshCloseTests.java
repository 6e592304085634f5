package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the steps of closing a mesh, their order, and what the close does not change. */
class MeshCloseTests {

    private static final MeshShape TWO_DEVICES = MeshShape.of(1, 2);
    private static final MeshBufferConfig BUFFER =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048));
    private static final Owner QUEUE = new Owner(Owner.Kind.COMMAND_QUEUE, "0");
    private static final Owner FABRIC = new Owner(Owner.Kind.FABRIC, "router");

    private final RecordedReports reports = new RecordedReports();

    @Test
    void opensInTheOrderOfTheRuntime() {
        Ttnn.builder(reports)
                .systemBuffer(QUEUE, BufferType.DRAM, 4_096)
                .build()
                .openMeshDevice(TWO_DEVICES);

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
    void closesInTheOrderOfTheRuntime() {
        MeshDevice mesh = Ttnn.builder(reports)
                .systemBuffer(QUEUE, BufferType.DRAM, 4_096)
                .build()
                .openMeshDevice(TWO_DEVICES);
        reports.forget();

        mesh.close();

        assertThat(reports.lines())
                .containsExactly(
                        "phase CLOSE",
                        "closing mesh 0",
                        "witnessed CLOSE_BEGUN",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING",
                        "witnessed BEFORE_WIPE",
                        "witnessed AFTER_WIPE",
                        "closed device 0",
                        "closed device 1",
                        "closed mesh 0",
                        "end of phase CLOSE",
                        "phase AFTER_CLOSE");
    }

    @Test
    void doesNothingASecondTime() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        ttnn.closeMeshDevice(mesh);
        reports.forget();

        ttnn.closeMeshDevice(mesh);

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isAfterCloseOnlyWhenNoMeshIsOpen() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice first = ttnn.openMeshDevice(TWO_DEVICES);
        MeshDevice second = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(TWO_DEVICES).withPhysicalDeviceIds(6, 7));

        first.close();

        assertThat(reports.lines("phase AFTER_CLOSE")).isEmpty();

        second.close();

        assertThat(reports.lines("phase AFTER_CLOSE")).hasSize(1);
    }

    @Test
    void takesSnapshotsAtTheStartAndBeforeAndAfterTheWipe() {
        MeshDevice mesh = Ttnn.builder(reports)
                .systemBuffer(QUEUE, BufferType.DRAM, 4_096)
                .build()
                .openMeshDevice(TWO_DEVICES);
        mesh.allocate(BUFFER);
        mesh.allocateOn(1, BufferConfig.of(BufferType.L1, 2_048, 2_048));

        mesh.close();

        assertThat(readings(AllocatorId.MESH))
                .extracting(reading -> reading.allocatedAddresses(0, BufferType.DRAM))
                .containsExactly(List.of(2968640L, 2972736L), List.of(2972736L), List.of());
        assertThat(readings(AllocatorId.DEVICE))
                .extracting(reading -> reading.allocatedAddresses(1, BufferType.L1))
                .containsExactly(List.of(1497088L), List.of(1497088L), List.of());
        assertThat(reports.readings())
                .extracting(reading -> reading.stateOf(1, BufferType.TRACE, 0))
                .containsOnly(WitnessSnapshot.AddressState.FREE);
        for (AllocatorId allocator : List.of(AllocatorId.MESH, AllocatorId.DEVICE)) {
            assertThat(readings(allocator)).extracting(WitnessSnapshot::moment).containsExactly(Moment.values());
        }
    }

    @Test
    void neitherFreesNorReportsPersistentBuffers() {
        MeshDevice mesh = Ttnn.builder(reports)
                .systemBuffer(FABRIC, BufferType.L1, 2_048, BufferLifetime.PERSISTENT)
                .build()
                .openMeshDevice(TWO_DEVICES);

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.requests()).singleElement().satisfies(details -> {
            assertThat(details.lifetime()).isEqualTo(BufferLifetime.PERSISTENT);
            assertThat(details.owner()).contains(FABRIC);
        });
    }

    @Test
    void leavesTheProgramCacheAlone() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(a, a);

        mesh.close();

        assertThat(mesh.numProgramCacheEntries()).isEqualTo(1);
        assertThat(reports.lines("ended")).isEmpty();
    }

    @Test
    void leavesHandlesAsTheyAre() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(TWO_DEVICES);
        MeshBuffer buffer = mesh.allocate(BUFFER);

        mesh.close();

        assertThat(buffer.isAllocated()).isTrue();
        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.OWNED);
        assertThat(mesh.isOpen()).isFalse();
    }

    @Test
    void reportsBuffersThatAreFreedLater() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(TWO_DEVICES);
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();
        reports.forget();

        buffer.close();

        assertThat(reports.lines())
                .containsExactly("freed 0 DRAM 2968640 NON_OWNING", "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void doesNotReportAFreeOfAnEarlierOpenPeriodOnceTheDeviceIsOpenAgain() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice first = ttnn.openMeshDevice(TWO_DEVICES);
        MeshBuffer stale = first.allocate(BUFFER);
        first.close();
        MeshDevice second = ttnn.openMeshDevice(TWO_DEVICES);
        MeshBuffer live = second.allocate(BUFFER);
        reports.forget();

        stale.deallocate();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
        assertThat(live.address()).isEqualTo(stale.address());
        assertThat(second.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2048);
    }

    @Test
    void rejectsAllocationsAfterwards() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(TWO_DEVICES);
        mesh.close();

        assertThatThrownBy(() -> mesh.allocate(BUFFER))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDeviceManagerTracker is not initialized on MeshDevice 0."
                        + " This MeshDevice contains only remote devices (so the runtime; in fact mesh 0 was closed:"
                        + " use it before closeMeshDevice, or open a new mesh)");
        assertThatThrownBy(() -> mesh.allocateOn(0, BUFFER.deviceLocal()))
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
        assertThatThrownBy(() -> mesh.view(BUFFER, 0))
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
        assertThatThrownBy(() -> mesh.deallocateAddress(BufferType.DRAM, 0))
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(Ttnn.create(reports).createMeshWorkload()))
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }

    @Test
    void givesTheSameAddressesWhenOpenedAgain() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice first = ttnn.openMeshDevice();
        long before = first.allocate(BUFFER).address();
        first.close();

        MeshDevice second = ttnn.openMeshDevice();

        assertThat(second.allocate(BUFFER).address()).isEqualTo(before);
        assertThat(second.id()).isEqualTo(first.id() + 1);
    }

    @Test
    void endsCachedProgramsWhenTheMeshIsDestroyed() {
        Ttnn ttnn = Ttnn.builder(reports)
                .defects(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(a, a);
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
        assertThatThrownBy(a::device).hasMessage("Can't get device from mesh buffer, already deallocated");
    }

    @Test
    void closesWhenDestroyedWhileOpen() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(TWO_DEVICES);

        mesh.destroy();
        mesh.destroy();

        assertThat(reports.lines("closed mesh")).containsExactly("closed mesh 0");
    }

    private List<WitnessSnapshot> readings(AllocatorId allocator) {
        return reports.readings().stream()
                .filter(reading -> reading.allocator().equals(Optional.of(allocator)))
                .toList();
    }
}
