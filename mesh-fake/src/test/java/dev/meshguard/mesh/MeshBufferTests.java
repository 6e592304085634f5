package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests buffers on a mesh and on single devices: their memory, their reports, and their end. */
class MeshBufferTests {

    private static final BufferConfig PAGE = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final BufferConfig MESH_PAGE = PAGE;

    private final RecordedReports reports = new RecordedReports();
    private final MeshDevice mesh = Ttnn.create(reports).openMeshDevice(MeshShape.of(1, 2));

    @Test
    void isOneRequestOnAllDevices() {
        reports.forget();

        mesh.allocate(PAGE.named("weights"));

        assertThat(reports.requests())
                .containsExactly(AllocationDetails.user()
                        .labelled("weights")
                        .onMesh(0)
                        .fromAllocator(AllocatorId.MESH)
                        .withExtent(2_048));
        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 NON_OWNING", "allocated 1 DRAM 2968640+2048 NON_OWNING");
    }

    @Test
    void hasPagesOfATileIfOnlyItsBytesAreGiven() {
        reports.forget();

        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 6_144);

        assertThat(buffer.config()).isEqualTo(BufferConfig.of(BufferType.DRAM, 6_144, 2_048));
        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+6144 NON_OWNING", "allocated 1 DRAM 2968640+6144 NON_OWNING");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -2_048, 100, 2_049})
    void doesNotAllocateBytesThatAreNoWholePages(long bytes) {
        reports.forget();

        assertIllegalArgument(
                () -> mesh.allocate(BufferType.L1, bytes),
                "Cannot allocate " + bytes + " B of L1: allocate(type, bytes) allocates whole pages of 2048 B."
                        + " Ask for a multiple of 2048 B, or set the page size with"
                        + " allocate(BufferConfig.of(type, bytes, pageSize)).");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isFreedByCloseAlsoForTheHandlesOfATensorInIt() {
        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 2_048);
        Tensor tensor = Tensor.of(buffer, TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16));
        Tensor alias = tensor.alias();

        buffer.close();

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(alias.isAllocated()).isFalse();
    }

    @Test
    void reportsThatASecondFreeIsIgnoredAndStillSaysWhatItWas() {
        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 2_048);
        buffer.deallocate();
        reports.forget();

        buffer.deallocate();
        buffer.close();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 ALREADY_FREED", "ignored 1 DRAM 2968640 ALREADY_FREED");
        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(buffer.address()).isEqualTo(2_968_640);
        assertThat(buffer.size()).isEqualTo(2_048);
        assertThat(buffer.device()).isSameAs(mesh);
    }

    /** Quirk Q14. */
    @Test
    void isFreedASecondTimeByItsCloseAfterAFreeByItsAddress() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);
        mesh.deallocateAddress(BufferType.DRAM, buffer.address());
        mesh.allocate(MESH_PAGE);
        reports.forget();

        buffer.close();
        buffer.close();

        assertThat(reports.lines())
                .containsExactly(
                        "ignored 0 DRAM 2968640 ALREADY_FREED",
                        "ignored 1 DRAM 2968640 ALREADY_FREED",
                        "ignored 0 DRAM 2968640 FREED_BY_ADDRESS",
                        "ignored 1 DRAM 2968640 FREED_BY_ADDRESS");
    }

    @Test
    void isInvisibleWhenEmpty() {
        BufferConfig nothing = BufferConfig.of(BufferType.DRAM, 0, 2_048);
        reports.forget();

        MeshBuffer onMesh = mesh.allocate(nothing);
        Buffer onDevice = mesh.allocateOn(0, nothing);
        assertThat(onMesh.address()).isEqualTo(onDevice.address()).isZero();
        assertThat(onDevice.isAllocated()).isTrue();
        onMesh.deallocate();
        onDevice.deallocate();

        assertThat(onMesh.isAllocated()).isFalse();
        assertThat(onDevice.isAllocated()).isFalse();
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void takesNoMemoryAsAView() {
        reports.forget();

        MeshBuffer view = mesh.view(MESH_PAGE, 4_096);

        assertThat(view.state()).isEqualTo(MeshBuffer.State.EXTERNALLY_OWNED);
        assertThat(view.address()).isEqualTo(4_096);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(reports.lines()).isEmpty();
        view.deallocate();
        view.deallocate();
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isReportedAsAViewByTheTrackingBranch() {
        RecordedReports branch = new RecordedReports();
        MeshDevice october =
                Ttnn.builder(branch).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice(MeshShape.of(1, 2));
        branch.forget();

        october.view(MESH_PAGE, 4_096).deallocate();
        october.viewOn(1, PAGE, 8_192).close();

        assertThat(branch.lines())
                .containsExactly(
                        "allocated 0 DRAM 4096+2048 NON_OWNING",
                        "allocated 1 DRAM 4096+2048 NON_OWNING",
                        "freed 0 DRAM 4096 NON_OWNING",
                        "freed 1 DRAM 4096 NON_OWNING",
                        "allocated 1 DRAM 8192+2048 NON_OWNING",
                        "freed 1 DRAM 8192 NON_OWNING");
    }

    @Test
    void ownsItsMemoryOnASingleDevice() {
        Buffer buffer = mesh.allocateOn(1, PAGE.named("weights"));

        buffer.deallocate();
        buffer.deallocate();
        buffer.close();

        assertThat(buffer.ownsMemory()).isTrue();
        assertThat(buffer.device()).isEqualTo(1);
        assertThat(buffer.type()).isEqualTo(BufferType.DRAM);
        assertThat(buffer.size()).isEqualTo(2_048);
        assertThat(buffer).hasToString("Buffer(device 1, DRAM, 2 KiB (2048 B) at 0x2d4c40 (2968640), deallocated)");
        assertThat(reports.lines("allocated")).containsExactly("allocated 1 DRAM 2968640+2048 OWNING");
        assertThat(reports.lines("freed")).containsExactly("freed 1 DRAM 2968640 OWNING");
        assertThat(reports.lines("ignored")).containsExactly("ignored 1 DRAM 2968640 ALREADY_FREED");
    }

    @Test
    void cannotLieOnADeviceOfAnotherMesh() {
        assertRuntimeError(() -> mesh.allocateOn(2, PAGE), "Physical Device ID: 2 not found in assigned devices");
    }

    @Test
    void onlyGetsAnotherStateWhenItsMeshIsGone() {
        RecordedReports main = new RecordedReports();
        MeshDevice gone =
                Ttnn.builder(main).reporting(ReportingModel.MAIN).build().openMeshDevice(MeshShape.of(1, 2));
        MeshBuffer buffer = gone.allocate(BufferType.DRAM, 2_048);
        gone.destroy();
        main.forget();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.OWNED);
        assertThat(buffer.isAllocated()).isFalse();
        buffer.deallocate();
        buffer.close();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(main.lines())
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void staysAllocatedAtAnAddressUntilItEnds() {
        Buffer buffer = mesh.viewOn(0, PAGE, 4_096);

        buffer.deallocate();
        buffer.deallocate();

        assertThat(buffer.isAllocated()).isTrue();
        buffer.close();
        assertThat(buffer.isAllocated()).isFalse();
        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.lines("ignored")).isEmpty();
    }

    /** Quirk Q13. */
    @Test
    void hasAnAddressOf32Bits() {
        assertThat(mesh.viewOn(0, PAGE, 0xFFFF_FFFFL).address()).isEqualTo(4_294_967_295L);
        assertIllegalArgument(
                () -> mesh.viewOn(0, PAGE, 0x1_0000_0000L),
                "There is no buffer at address 4294967296: an address is a number from 0 to 4294967295");
        assertThatThrownBy(() -> mesh.view(MESH_PAGE, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void isOnNoSubDeviceOfASingleDevice() {
        BufferConfig onTheFirst = BufferConfig.of(BufferType.L1, 64, 64)
                .heightSharded(CoreRangeSet.of(new CoreRange(0, 0, 0, 0)))
                .on(new SubDeviceId(0));

        assertIllegalArgument(
                () -> mesh.allocateOn(1, onTheFirst),
                "Cannot create a buffer for sub-device 0 on device 1 alone: sub-devices belong to a mesh."
                        + " Create it on the mesh, or name no sub-device.");
    }
}
