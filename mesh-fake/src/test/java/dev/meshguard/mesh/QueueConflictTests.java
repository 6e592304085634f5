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

/** Tests that a mesh cannot be closed while a mesh above or below it uses the same command queue, and how to resolve that. */
class QueueConflictTests {

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 2)).withNumCommandQueues(2));
    private final MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
    private final MeshDevice unit = submesh.createSubmesh(MeshShape.of(1, 1));

    @Test
    void rejectsClosingAMeshWhoseSubmeshUsesTheSameQueue() {
        mesh.commandQueue().finish();
        submesh.commandQueue().finish();

        assertRuntimeError(mesh::close, "MeshDevice cq ID 0 is in use by child submesh ID 1 during close of mesh ID 0");
    }

    @Test
    void rejectsClosingAMeshWhoseSubmeshsSubmeshUsesTheSameQueue() {
        mesh.commandQueue(1).finish();
        unit.commandQueue(1).finish();

        assertRuntimeError(mesh::close, "MeshDevice cq ID 1 is in use by child submesh ID 2 during close of mesh ID 0");
    }

    @Test
    void rejectsClosingASubmeshWhoseParentUsesTheSameQueue() {
        mesh.commandQueue().finish();
        unit.commandQueue().finish();

        assertRuntimeError(unit::close, "MeshDevice cq ID 0 is in use by parent mesh ID 0 during close of mesh ID 2");
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
