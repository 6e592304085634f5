package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import org.junit.jupiter.api.Test;

/** Tests that the verdict examines the reservations of a mesh, a device and sub-devices at one address separately. */
class TwoAllocatorsTests {

    private static final long LARGE = 32L << 20;
    private static final BufferConfig SMALL = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void aBufferOfADeviceMayBeFreedBetweenTheCloseOfASubmeshAndThatOfItsParent() {
        MeshDevice parent = open();
        MeshDevice submesh = parent.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(0, 1));
        Buffer buffer = submesh.allocateOn(1, SMALL);
        submesh.close();
        buffer.deallocate();
        parent.close();

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict().anomalies()).isEmpty();
    }

    @Test
    void aBufferThatASubmeshReservedOfADeviceIsReadWhenTheDeviceIsClosed() {
        MeshDevice parent = open();
        MeshDevice submesh = parent.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(0, 1));
        submesh.allocateOn(1, SMALL);
        submesh.close();
        parent.close();

        assertThat(verdict().survivors()).singleElement().satisfies(survivor -> {
            assertThat(survivor.status()).isEqualTo(SurvivorStatus.LEAKED);
            assertThat(survivor.diagnosis().evidence())
                    .anySatisfy(
                            evidence -> assertThat(evidence.toString())
                                    .contains(
                                            "the own allocator of device 1 reported 0x2d4c40 (2968640) as allocated when close began"));
        });
    }

    @Test
    void aViewIsOfTheAllocatorOfWhatItPointsTo() {
        MeshDevice mesh =
                Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice(MeshShape.of(1, 2));
        Buffer target = mesh.allocateOn(0, SMALL);
        Buffer view = mesh.viewOn(0, SMALL, target.address());
        view.deallocate();
        target.deallocate();
        mesh.close();

        assertThat(tracker.history().generations()).singleElement().satisfies(life -> {
            assertThat(life.reports()).hasSize(2);
            assertThat(life.allocator()).hasValue(AllocatorId.DEVICE);
        });
    }

    @Test
    void aFreeThatGotLostIsNotBlamedForWhatLeaksLaterAtItsAddress() {
        MeshDevice mesh = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
                .build()
                .openMeshDevice(MeshShape.of(1, 2));
        long address = allocateAndFree(mesh);
        assertThat(leak(mesh)).isEqualTo(address);
        mesh.close();

        LeakVerdict verdict = verdict();
        assertThat(verdict.survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED))
                .hasSize(2)
                .allSatisfy(survivor -> {
                    assertThat(survivor.buffer().size()).isEqualTo(2_048);
                    assertThat(survivor.buffer().origin().orElseThrow().toString())
                            .contains("leak");
                });
        assertThat(verdict.survivors(survivor -> survivor.status() == SurvivorStatus.MISREPORTED))
                .hasSize(2)
                .allSatisfy(survivor -> {
                    assertThat(survivor.cause()).isEqualTo(Cause.FREE_UNREPORTED);
                    assertThat(survivor.buffer().size()).isEqualTo(LARGE);
                });
        assertThat(verdict.inconclusiveReasonTexts()).isEmpty();
    }

    private static long allocateAndFree(MeshDevice mesh) {
        MeshBuffer freed = mesh.allocate(BufferType.DRAM, LARGE);
        freed.deallocate();
        return freed.address();
    }

    private static long leak(MeshDevice mesh) {
        return mesh.allocate(BufferType.DRAM, 2_048).address();
    }

    @Test
    void aBackingBufferThatIsReportedAsDevice0CountsForTheFirstDeviceOfAMeshWithoutDevice0() {
        MeshDevice mesh = Ttnn.builder(tracker)
                .defects(RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(1, 2))
                        .withPhysicalDeviceIds(2, 3));
        mesh.allocate(BufferType.DRAM, 2_048).deallocate();
        mesh.allocate(BufferType.DRAM, 2_048);
        mesh.close();

        LeakVerdict verdict = verdict();
        assertThat(verdict.sum().allocated()).isEqualTo(4);
        assertThat(verdict.sum().freed()).isEqualTo(2);
        assertThat(verdict.sum().leaked()).isEqualTo(2);
        assertThat(verdict.sum().misreported()).isZero();
        assertThat(verdict.anomalies()).isEmpty();
        assertThat(verdict.survivors())
                .extracting(survivor -> survivor.buffer().device())
                .containsExactly(2, 3);
    }

    private MeshDevice open() {
        return Ttnn.create(tracker).openMeshDevice(MeshShape.of(1, 2));
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }
}
