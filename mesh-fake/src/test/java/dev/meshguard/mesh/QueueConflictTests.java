package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a mesh cannot be closed while a mesh above or below it uses the same command queue, and how to resolve that. */
class QueueConflictTests {

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 2)).withNumCommandQueues(2));
    private final MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
    private final MeshDevice unit = submesh.createSubmesh(MeshShape.of(1, 1));

    /** The numbers of two meshes and of the queue that both use: 0 is the parent of 1, and 1 that of 2. */
    @ParameterizedTest
    @CsvSource({"0, 1, 0, child submesh", "0, 2, 1, child submesh", "2, 0, 0, parent mesh"})
    void rejectsClosingAMeshWhileOneAboveOrBelowUsesTheSameQueue(int closed, int other, int queue, String kind) {
        List<MeshDevice> meshes = List.of(mesh, submesh, unit);
        meshes.get(closed).commandQueue(queue).finish();
        meshes.get(other).commandQueue(queue).finish();

        assertRuntimeError(
                meshes.get(closed)::close,
                "MeshDevice cq ID %d is in use by %s ID %d during close of mesh ID %d"
                        .formatted(queue, kind, other, closed));
    }

    @Test
    void rejectsBeforeAnythingIsClosed() {
        mesh.commandQueue().finish();
        submesh.commandQueue().finish();
        reports.forget();

        assertThatThrownBy(mesh::close).isInstanceOf(MeshRuntimeException.class);

        assertThat(mesh.isOpen()).isTrue();
        assertThat(reports.lines()).isEmpty();
        assertThatCode(() -> mesh.commandQueue().finish()).doesNotThrowAnyException();
    }

    @Test
    void lookOnlyAtQueuesOfTheSameNumberThatTheMeshUsesItself() {
        submesh.commandQueue(0).finish();
        mesh.commandQueue(1).finish();

        assertThatCode(mesh::close).doesNotThrowAnyException();
    }

    @Test
    void doNotLookAtSiblings() {
        MeshDevice sibling = mesh.createSubmesh(MeshShape.of(1, 2));
        sibling.commandQueue().finish();
        submesh.commandQueue().finish();

        assertThatCode(sibling::close).doesNotThrowAnyException();
        assertThatCode(submesh::close).doesNotThrowAnyException();
    }

    @Test
    void areOverWhenTheSubmeshIsClosed() {
        submesh.commandQueue().finish();
        unit.close();
        submesh.close();
        mesh.commandQueue().finish();

        assertThatCode(mesh::quiesceDevices).doesNotThrowAnyException();
        mesh.commandQueue().finish();
        assertThatCode(mesh::close).doesNotThrowAnyException();
    }

    @Test
    void areOverWhenTheMeshIsQuiescedAndNotOnlyItsSubmesh() {
        mesh.commandQueue().finish();
        submesh.commandQueue().finish();
        unit.commandQueue().finish();

        submesh.quiesceDevices();
        assertThat(submesh.commandQueue().isInUse()).isFalse();
        assertThat(mesh.commandQueue().isInUse()).isTrue();

        mesh.quiesceDevices();
        assertThat(mesh.commandQueue().isInUse()).isFalse();
        assertThat(unit.commandQueue().isInUse()).isFalse();
        assertThatCode(mesh::close).doesNotThrowAnyException();
    }

    @Test
    void quiescingFreesSubDevicesAndCountsEventsAnew() {
        mesh.enqueueMeshWorkload(
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1)));
        mesh.commandQueue().enqueueRecordEvent();

        mesh.quiesceDevices();

        assertThat(mesh.commandQueue().enqueueRecordEvent().id()).isEqualTo(1);
        assertThatCode(() -> mesh.commandQueue(1)
                        .enqueueMeshWorkload(ttnn.createMeshWorkload()
                                .addProgram(ttnn.createProgram("copy").addKernel(1))))
                .doesNotThrowAnyException();
    }

    @Test
    void quiescingNeedsTheDefaultSubDeviceManager() {
        submesh.loadSubDeviceManager(
                submesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(0, 0, 2, 2))), 0));

        assertRuntimeError(mesh::quiesceDevices, "Cannot quiesce when non-default sub-device manager is active");
    }

    @Test
    void rejectsQuiescingDuringACapture() {
        mesh.commandQueue().finish();
        mesh.beginMeshTrace(0);

        assertRuntimeError(mesh::quiesceDevices, "Cannot reset worker state during trace capture");
    }

    @Test
    void doNotConcernUnitMeshesWhoseParentWasNeverOpened() {
        Ttnn units = Ttnn.create(reports);
        MeshDevice one = units.createUnitMeshes(List.of(0, 1)).get(0);
        one.commandQueue().finish();

        assertThatCode(one::close).doesNotThrowAnyException();
    }
}
