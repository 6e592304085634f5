package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how sub-device managers are created, loaded and removed, and on which sub-device programs run. */
class SubDeviceManagerTests {

    private static final CoreRange CORNER = new CoreRange(0, 0, 2, 2);
    private static final SubDevice ONE = SubDevice.of(CORNER);
    private static final SubDevice OTHER = SubDevice.of(new CoreRange(3, 3, 3, 3), new CoreRange(4, 4, 4, 4));
    private static final SubDeviceId FIRST = new SubDeviceId(0);
    private static final SubDeviceId SECOND = new SubDeviceId(1);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withNumCommandQueues(2));

    @Test
    void countInTheProcess() {
        SubDeviceManagerId created = divided(ONE);
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));

        assertThat(mesh.defaultSubDeviceManagerId()).isEqualTo(new SubDeviceManagerId(0));
        assertThat(created).isEqualTo(new SubDeviceManagerId(1));
        assertThatThrownBy(() -> divided(ONE, ONE)).isInstanceOf(MeshRuntimeException.class);
        assertThat(divided(ONE)).as("the rejected one used up a number").isEqualTo(new SubDeviceManagerId(4));
        assertThat(submesh.defaultSubDeviceManagerId()).isEqualTo(new SubDeviceManagerId(2));
    }

    @Test
    void divideTheMeshFromTheirLoadingUntilTheDefaultIsLoadedAgain() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(ONE, OTHER), 3_200);
        assertThat(mesh.subDeviceIds()).containsExactly(FIRST);

        mesh.loadSubDeviceManager(manager);
        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(manager);
        assertThat(mesh.subDeviceIds()).containsExactly(FIRST, SECOND);

        mesh.clearLoadedSubDeviceManager();
        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(mesh.defaultSubDeviceManagerId());
        assertThat(mesh.numSubDevices()).isEqualTo(1);
    }

    @Test
    void haveOneToEightSubDevicesWithinTheGridThatDoNotIntersect() {
        assertRuntimeError(() -> divided(), "sub_device_ids to stall must not be empty");
        assertRuntimeError(
                () -> divided(ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE),
                "Number of sub-devices specified 9 is larger than the max number of sub-devices 8");
        assertRuntimeError(
                () -> divided(SubDevice.of(new CoreRange(7, 7, 8, 7))),
                "Tensix cores {[7-7 - 8-7]} specified in sub device must be within device grid [0-0 - 7-7]");
        assertRuntimeError(
                () -> divided(ONE, SubDevice.of(new CoreRange(2, 2, 3, 3))),
                "SubDevices specified for SubDeviceManager intersect");
    }

    @Test
    void haveNoNegativeSizesAndNumbers() {
        assertIllegalArgument(
                () -> mesh.createSubDeviceManager(List.of(ONE), -1),
                "Cannot give sub-devices -1 B of L1: a size is 0 or more");
        assertIllegalArgument(
                () -> new SubDeviceManagerId(-1), "There is no sub-device manager -1: managers count from 0");
    }

    @Test
    void areLoadedOnTheirOwnMeshOnly() {
        SubDeviceManagerId manager = divided(ONE);
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));

        assertRuntimeError(() -> submesh.loadSubDeviceManager(manager), "Sub device manager does not exist");
    }

    @Test
    void areRemovedUnlessTheyAreActiveOrTheDefault() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(ONE), 3_200);
        mesh.loadSubDeviceManager(manager);

        assertRuntimeError(() -> mesh.removeSubDeviceManager(manager), "Cannot remove active sub device manager 1");
        assertRuntimeError(
                () -> mesh.removeSubDeviceManager(mesh.defaultSubDeviceManagerId()),
                "Cannot remove default sub device manager 0");
        mesh.clearLoadedSubDeviceManager();
        mesh.removeSubDeviceManager(manager);
        assertRuntimeError(() -> mesh.removeSubDeviceManager(manager), "Sub device manager does not exist");
    }

    @Test
    void areGoneWhenTheMeshIsClosed() {
        mesh.close();

        assertMeshIsClosed(mesh::activeSubDeviceManagerId);
        assertMeshIsClosed(() -> divided(ONE));
    }

    @Test
    void putEveryQueueToUseUnlessTheyAreLoadedAlready() {
        mesh.clearLoadedSubDeviceManager();
        assertThat(mesh.commandQueue(0).isInUse()).isFalse();

        mesh.loadSubDeviceManager(divided(ONE));

        assertThat(mesh.commandQueue(0).isInUse()).isTrue();
        assertThat(mesh.commandQueue(1).isInUse()).isTrue();
    }

    @Test
    void letQueuesWorkOnDifferentSubDevices() {
        mesh.loadSubDeviceManager(divided(ONE, OTHER));
        mesh.commandQueue(0).enqueueMeshWorkload(on(CORNER));

        mesh.commandQueue(1).enqueueMeshWorkload(on(new CoreRange(3, 3, 3, 3)));
        assertRuntimeError(
                () -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)),
                "Sub device id 0 currently in use by cq 0. Can't enqueue program from cq 1."
                        + " Finish or wait for an event to transfer ownership.");
    }

    @Test
    void waitOnlyForTheirOwnSubDeviceWhenAProgramBlocks() {
        mesh.loadSubDeviceManager(divided(ONE, OTHER));
        mesh.commandQueue(0).enqueueMeshWorkload(on(CORNER));

        mesh.commandQueue(0).enqueueMeshWorkload(on(new CoreRange(3, 3, 3, 3)), BLOCKING);

        assertThatThrownBy(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)))
                .isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void forgetWhoUsesThemWhenTheyAreLoadedAnew() {
        mesh.commandQueue(0).enqueueMeshWorkload(on(CORNER));

        mesh.loadSubDeviceManager(divided(ONE));

        mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER));
    }

    @Test
    void runProgramsOnTheCoresOfOneSubDevice() {
        mesh.loadSubDeviceManager(divided(ONE, OTHER));
        MeshWorkload onBoth = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addKernel(1, CORNER).addKernel(1, new CoreRange(3, 3, 3, 3)));

        assertRuntimeError(() -> mesh.enqueueMeshWorkload(onBoth), "Programs must be executed on a single sub-device");
        assertRuntimeError(
                () -> mesh.enqueueMeshWorkload(on(new CoreRange(2, 2, 3, 3))),
                "Kernel group cores do not match sub device cores for programmable core type TENSIX");
    }

    @Test
    void runOperationsOnTheFirstSubDevice() {
        mesh.loadSubDeviceManager(divided(ONE, OTHER));
        mesh.enqueueMeshWorkload(
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1)));

        assertThatThrownBy(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)))
                .isInstanceOf(MeshRuntimeException.class);
    }

    private SubDeviceManagerId divided(SubDevice... subDevices) {
        return mesh.createSubDeviceManager(List.of(subDevices), 0);
    }

    private MeshWorkload on(CoreRange cores) {
        return ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1, cores));
    }
}
