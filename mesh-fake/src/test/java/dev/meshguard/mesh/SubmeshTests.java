package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the state that submeshes share with their parent mesh, and the state that they do not share. */
class SubmeshTests {

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

    @Test
    void consistOfTheDevicesFromTheirOffsetOn() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(2, 2), MeshCoordinate.of(0, 1));
        MeshDevice unit = submesh.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(1, 0));

        assertThat(submesh.deviceIds()).containsExactly(1, 2, 5, 6);
        assertThat(submesh.parent()).contains(mesh);
        assertThat(mesh.parent()).isEmpty();
        assertThat(unit.deviceIds()).containsExactly(5);
        assertThat(unit.parent()).contains(submesh);
    }

    @Test
    void areReportedWithTheirParentButTheirDevicesAreNotOpenedAgain() {
        reports.forget();

        mesh.createSubmesh(MeshShape.of(1, 2));

        assertThat(reports.meshes().get(1))
                .isEqualTo(MeshDescription.of(1, "1x2 submesh", List.of(0, 1)).withParent(0));
        assertThat(reports.lines("opened device")).isEmpty();
    }

    @Test
    void divideTheirMemoryAsTheParentDoes() {
        MeshDevice parent = Ttnn.create(reports)
                .openMeshDevice(
                        MeshDeviceOptions.defaults().withL1SmallSize(32_768).withTraceRegionSize(1_048_576));

        MeshDevice submesh = parent.createSubmesh(MeshShape.of(1, 1));

        assertThat(submesh.statistics(BufferType.L1_SMALL).totalAllocatable()).isEqualTo(32_768);
        assertThat(submesh.statistics(BufferType.TRACE).totalAllocatable()).isEqualTo(1_048_576);
    }

    @Test
    void keepTheDevicesOpenAfterTheCloseOfTheParentUntilTheyAreClosed() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        reports.forget();

        mesh.close();

        assertThat(mesh.isOpen()).isFalse();
        assertThat(submesh.isOpen()).isTrue();
        assertThat(reports.lines("closed device")).isEmpty();
        assertThat(submesh.allocate(BufferType.DRAM, 2_048).isAllocated()).isTrue();
        assertMeshIsClosed(() -> mesh.createSubmesh(MeshShape.of(1, 2)));
        submesh.close();
        assertThat(reports.lines("closed device")).hasSize(8);
    }

    @Test
    void leaveTheDevicesOpenForTheParent() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        reports.forget();

        submesh.close();

        assertThat(reports.lines("closed device")).isEmpty();
        assertThat(mesh.isOpen()).isTrue();
        assertThat(mesh.submeshes()).as("an object that is alive").containsExactly(submesh);
        submesh.destroy();
        assertThat(mesh.submeshes()).isEmpty();
    }

    @Test
    void allocateTheAddressesOfTheirParentAndSiblingsAndFreeToTheirOwnAllocator() {
        MeshDevice one = mesh.createSubmesh(MeshShape.of(2, 2));
        MeshDevice other = mesh.createSubmesh(MeshShape.of(2, 2));
        long address = mesh.allocate(BufferType.DRAM, 2_048).address();
        MeshBuffer ofOne = one.allocate(BufferType.DRAM, 2_048);

        assertThat(ofOne.address()).isEqualTo(address);
        assertThat(other.allocate(BufferType.DRAM, 2_048).address()).isEqualTo(address);
        ofOne.deallocate();
        assertThat(one.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(other.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
    }

    @Test
    void lieWithinTheirParent() {
        assertRuntimeError(
                () -> mesh.createSubmesh(MeshShape.of(1, 2), MeshCoordinate.of(0, 3)),
                "Submesh shape MeshShape([1, 2]) and offset MeshCoordinate([0, 3])"
                        + " does not fit within parent mesh (MeshShape([2, 4])).");
        assertRuntimeError(
                () -> mesh.createSubmesh(MeshShape.of(1, 2), MeshCoordinate.of(0, Integer.MAX_VALUE)),
                "Submesh shape MeshShape([1, 2]) and offset MeshCoordinate([0, 2147483647])"
                        + " does not fit within parent mesh (MeshShape([2, 4])).");
    }

    @Test
    void haveTheDimensionsOfTheirParentAndADevice() {
        assertRuntimeError(
                () -> mesh.createSubmesh(MeshShape.of(2)),
                "Submesh shape MeshShape([2]) and mesh device shape MeshShape([2, 4])"
                        + " must have the same number of dimensions.");
        assertRuntimeError(
                () -> mesh.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(1)),
                "Submesh shape MeshShape([1, 1]) and offset MeshCoordinate([1])"
                        + " must have the same number of dimensions.");
        assertRuntimeError(
                () -> mesh.createSubmesh(MeshShape.of(0, 2)),
                "Invalid submesh shape: (MeshShape([0, 2])). All dimensions must be positive.");
    }

    @Test
    void areReportedInTheLogIfTheyAreStillOpenWhenTheirParentCloses() {
        try (LoggedLines log = LoggedLines.of(MeshDevice.class)) {
            mesh.createSubmesh(MeshShape.of(1, 2)).close();
            mesh.createSubmesh(MeshShape.of(1, 2)).createSubmesh(MeshShape.of(1, 1));

            mesh.close();

            assertThat(log.all())
                    .filteredOn(line -> line.startsWith("WARN"))
                    .containsExactly(
                            "WARN Mesh 0 is closed while its submesh 2 is open, which keeps its devices open: close submeshes first",
                            "WARN Mesh 0 is closed while its submesh 3 is open, which keeps its devices open: close submeshes first");
        }
    }
}
