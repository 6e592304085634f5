package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests the state that submeshes share with their parent mesh, and the state that they do not share. */
class SubmeshTests {

    private static final MeshBufferConfig PAGE =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048));

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

    @Test
    void consistOfTheDevicesFromTheirOffsetOn() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(2, 2), MeshCoordinate.of(0, 1));

        assertThat(submesh.deviceIds()).containsExactly(1, 2, 5, 6);
        assertThat(submesh.parent()).contains(mesh);
        assertThat(mesh.parent()).isEmpty();
    }

    @Test
    void divideTheMeshRowByRow() {
        List<MeshDevice> submeshes = mesh.createSubmeshes(MeshShape.of(1, 2));

        assertThat(submeshes)
                .extracting(MeshDevice::deviceIds)
                .containsExactly(List.of(0, 1), List.of(2, 3), List.of(4, 5), List.of(6, 7));
        assertThat(mesh.submeshes()).isEqualTo(submeshes);
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
    void allocateTheAddressesOfTheirParentAndSiblings() {
        MeshDevice one = mesh.createSubmesh(MeshShape.of(2, 2));
        MeshDevice other = mesh.createSubmesh(MeshShape.of(2, 2));

        long address = mesh.allocate(PAGE).address();

        assertThat(one.allocate(PAGE).address()).isEqualTo(address);
        assertThat(other.allocate(PAGE).address()).isEqualTo(address);
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
    void keepTheirDevicesOpenWhenTheParentIsClosed() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        reports.forget();

        mesh.close();

        assertThat(mesh.isOpen()).isFalse();
        assertThat(submesh.isOpen()).isTrue();
        assertThat(reports.lines("closed device")).isEmpty();
        assertThat(submesh.allocate(PAGE).isAllocated()).isTrue();
    }

    @Test
    void closeTheDevicesWhenTheyAreTheLast() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        mesh.close();
        reports.forget();

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
    }

    @Test
    void areGoneWhenTheyAreDestroyed() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));

        submesh.destroy();

        assertThat(mesh.submeshes()).isEmpty();
    }

    @Test
    void freeToTheirOwnAllocator() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        MeshBuffer ofParent = mesh.allocate(PAGE);
        MeshBuffer ofSubmesh = submesh.allocate(PAGE);

        ofSubmesh.deallocate();

        assertThat(submesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(ofParent.isAllocated()).isTrue();
    }

    @Test
    void shareTheAllocatorOfASingleDevice() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        BufferConfig page = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);

        long first = mesh.allocateOn(0, page).address();

        assertThat(submesh.allocateOn(0, page).address()).isEqualTo(first + 2_048);
    }

    @Test
    void haveAsManyDimensionsAsTheirParent() {
        assertThatThrownBy(() -> mesh.createSubmesh(MeshShape.of(2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Submesh shape MeshShape([2]) and mesh device shape MeshShape([2, 4])"
                        + " must have the same number of dimensions.");
        assertThatThrownBy(() -> mesh.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Submesh shape MeshShape([1, 1]) and offset MeshCoordinate([1])"
                        + " must have the same number of dimensions.");
    }

    @Test
    void haveADevice() {
        assertThatThrownBy(() -> mesh.createSubmesh(MeshShape.of(0, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Invalid submesh shape: (MeshShape([0, 2])). All dimensions must be positive.");
        assertThatThrownBy(() -> mesh.createSubmeshes(MeshShape.of(2, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Invalid submesh shape: (MeshShape([2, 0])). All dimensions must be positive.");
    }

    @Test
    void lieWithinTheirParent() {
        assertThatThrownBy(() -> mesh.createSubmesh(MeshShape.of(1, 2), MeshCoordinate.of(0, 3)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Submesh shape MeshShape([1, 2]) and offset MeshCoordinate([0, 3])"
                        + " does not fit within parent mesh (MeshShape([2, 4])).");
        assertThatThrownBy(() -> mesh.createSubmesh(MeshShape.of(1, 2), MeshCoordinate.of(0, Integer.MAX_VALUE)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Submesh shape MeshShape([1, 2]) and offset MeshCoordinate([0, 2147483647])"
                        + " does not fit within parent mesh (MeshShape([2, 4])).");
    }

    @Test
    void divideTheMeshWithoutRest() {
        assertThatThrownBy(() -> mesh.createSubmeshes(MeshShape.of(1, 3)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shape MeshShape([2, 4]) is not divisible by submesh shape MeshShape([1, 3])"
                        + " along dimension 1");
    }

    @Test
    void cannotBeMadeOfAClosedMesh() {
        mesh.close();

        assertThatThrownBy(() -> mesh.createSubmesh(MeshShape.of(1, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }

    @Test
    void canBeDividedThemselves() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(2, 2), MeshCoordinate.of(0, 2));

        MeshDevice unit = submesh.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(1, 0));

        assertThat(unit.deviceIds()).containsExactly(6);
        assertThat(unit.parent()).contains(submesh);
    }

    @Test
    void areReportedInTheLogIfTheyAreStillOpenWhenTheirParentCloses() {
        Logger logger = (Logger) LoggerFactory.getLogger(MeshDevice.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            mesh.createSubmesh(MeshShape.of(1, 2)).close();
            mesh.createSubmesh(MeshShape.of(1, 2)).createSubmesh(MeshShape.of(1, 1));

            mesh.close();
        } finally {
            logger.detachAppender(log);
        }

        assertThat(log.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Mesh 0 is closed while its submesh 2 is open, which keeps its devices open: close submeshes first",
                        "Mesh 0 is closed while its submesh 3 is open, which keeps its devices open: close submeshes first");
    }
}
