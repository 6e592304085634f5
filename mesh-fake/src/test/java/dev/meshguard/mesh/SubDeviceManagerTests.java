package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Collections;
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
    void beginWithOneThatDoesNotDivide() {
        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(mesh.defaultSubDeviceManagerId());
        assertThat(mesh.subDeviceIds()).containsExactly(FIRST);
    }

    @Test
    void countInTheProcess() {
        SubDeviceManagerId created = mesh.createSubDeviceManager(List.of(ONE), 0);
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));

        assertThat(mesh.defaultSubDeviceManagerId()).isEqualTo(new SubDeviceManagerId(0));
        assertThat(created).isEqualTo(new SubDeviceManagerId(1));
        assertThat(submesh.defaultSubDeviceManagerId()).isEqualTo(new SubDeviceManagerId(2));
    }

    @Test
    void useUpANumberEvenIfTheyCannotBeMade() {
        assertThatThrownBy(() -> mesh.createSubDeviceManager(List.of(ONE, ONE), 0))
                .isInstanceOf(MeshRuntimeException.class);

        assertThat(mesh.createSubDeviceManager(List.of(ONE), 0)).isEqualTo(new SubDeviceManagerId(2));
    }

    @Test
    void areNotLoadedWhenTheyAreMade() {
        mesh.createSubDeviceManager(List.of(ONE, OTHER), 3_200);

        assertThat(mesh.numSubDevices()).isEqualTo(1);
    }

    @Test
    void divideTheMeshWhenTheyAreLoaded() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(ONE, OTHER), 3_200);

        mesh.loadSubDeviceManager(manager);

        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(manager);
        assertThat(mesh.subDeviceIds()).containsExactly(FIRST, SECOND);
    }

    @Test
    void divideNoMoreWhenTheDefaultIsLoadedAgain() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE, OTHER), 3_200));

        mesh.clearLoadedSubDeviceManager();

        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(mesh.defaultSubDeviceManagerId());
    }

    @Test
    void haveAtMostEightSubDevices() {
        List<SubDevice> nine = Collections.nCopies(9, ONE);

        assertThatThrownBy(() -> mesh.createSubDeviceManager(nine, 0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Number of sub-devices specified 9 is larger than the max number of sub-devices 8");
    }

    @Test
    void haveAtLeastOneSubDevice() {
        assertThatThrownBy(() -> mesh.createSubDeviceManager(List.of(), 0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("sub_device_ids to stall must not be empty");
    }

    @Test
    void haveSubDevicesWithinTheGrid() {
        assertThatThrownBy(() -> mesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(7, 7, 8, 7))), 0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "Tensix cores {[7-7 - 8-7]} specified in sub device must be within device grid [0-0 - 7-7]");
    }

    @Test
    void haveSubDevicesThatDoNotIntersect() {
        assertThatThrownBy(() -> mesh.createSubDeviceManager(List.of(ONE, SubDevice.of(new CoreRange(2, 2, 3, 3))), 0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDevices specified for SubDeviceManager intersect");
    }

    @Test
    void haveNoNegativeSizes() {
        assertThatThrownBy(() -> mesh.createSubDeviceManager(List.of(ONE), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot give sub-devices -1 B of L1: a size is 0 or more");
        assertThatThrownBy(() -> new SubDeviceManagerId(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no sub-device manager -1: managers count from 0");
    }

    @Test
    void areLoadedOnlyIfTheyExist() {
        assertThatThrownBy(() -> mesh.loadSubDeviceManager(new SubDeviceManagerId(5)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub device manager does not exist");
    }

    @Test
    void belongToTheirMesh() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(ONE), 0);
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));

        assertThatThrownBy(() -> submesh.loadSubDeviceManager(manager))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub device manager does not exist");
    }

    @Test
    void areRemovedUnlessTheyAreActiveOrTheDefault() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(ONE), 3_200);
        mesh.loadSubDeviceManager(manager);

        assertThatThrownBy(() -> mesh.removeSubDeviceManager(manager))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot remove active sub device manager 1");
        assertThatThrownBy(() -> mesh.removeSubDeviceManager(mesh.defaultSubDeviceManagerId()))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot remove default sub device manager 0");
        mesh.clearLoadedSubDeviceManager();
        mesh.removeSubDeviceManager(manager);
        assertThatThrownBy(() -> mesh.removeSubDeviceManager(manager))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub device manager does not exist");
    }

    @Test
    void areGoneWhenTheMeshIsClosed() {
        mesh.close();

        assertThatThrownBy(mesh::activeSubDeviceManagerId)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
        assertThatThrownBy(() -> mesh.createSubDeviceManager(List.of(ONE), 0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }

    @Test
    void putEveryQueueToUseWhenTheyAreLoaded() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE), 0));

        assertThat(mesh.commandQueue(0).isInUse()).isTrue();
        assertThat(mesh.commandQueue(1).isInUse()).isTrue();
    }

    @Test
    void doNothingWhenTheyAreLoadedAlready() {
        mesh.clearLoadedSubDeviceManager();

        assertThat(mesh.commandQueue().isInUse()).isFalse();
    }

    @Test
    void letQueuesWorkOnDifferentSubDevices() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE, OTHER), 0));
        mesh.commandQueue(0).enqueueMeshWorkload(on(CORNER));

        assertThatCode(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(new CoreRange(3, 3, 3, 3))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub device id 0 currently in use by cq 0. Can't enqueue program from cq 1."
                        + " Finish or wait for an event to transfer ownership.");
    }

    @Test
    void waitOnlyForTheirOwnSubDeviceWhenAProgramBlocks() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE, OTHER), 0));
        mesh.commandQueue(0).enqueueMeshWorkload(on(CORNER));

        mesh.commandQueue(0).enqueueMeshWorkload(on(new CoreRange(3, 3, 3, 3)), BLOCKING);

        assertThatThrownBy(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)))
                .isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void forgetWhoUsesThemWhenTheyAreLoadedAnew() {
        mesh.commandQueue(0).enqueueMeshWorkload(on(CORNER));

        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE), 0));

        assertThatCode(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)))
                .doesNotThrowAnyException();
    }

    @Test
    void runProgramsOnTheCoresOfOneSubDevice() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE, OTHER), 0));
        MeshWorkload onBoth = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addKernel(1, CORNER).addKernel(1, new CoreRange(3, 3, 3, 3)));

        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(onBoth))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Programs must be executed on a single sub-device");
        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(on(new CoreRange(2, 2, 3, 3))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Kernel group cores do not match sub device cores for programmable core type TENSIX");
    }

    @Test
    void runProgramsAnywhereUnlessTheyDivide() {
        assertThatCode(() -> mesh.enqueueMeshWorkload(on(new CoreRange(2, 2, 3, 3))))
                .doesNotThrowAnyException();
    }

    @Test
    void runOperationsOnTheFirstSubDevice() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(ONE, OTHER), 0));
        mesh.enqueueMeshWorkload(
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1)));

        assertThatThrownBy(() -> mesh.commandQueue(1).enqueueMeshWorkload(on(CORNER)))
                .isInstanceOf(MeshRuntimeException.class);
    }

    private MeshWorkload on(CoreRange cores) {
        return ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1, cores));
    }
}
