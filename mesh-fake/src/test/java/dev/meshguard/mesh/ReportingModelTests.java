package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import org.junit.jupiter.api.Test;

/** Tests the reports of main: only buffers that own memory, and only while their device is initialised. */
class ReportingModelTests {

    private static final BufferConfig PAGE = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn =
            Ttnn.builder(reports).reporting(ReportingModel.MAIN).build();
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    @Test
    void attributesABackingBufferToEachDevice() {
        mesh.allocate(PAGE).deallocate();

        assertThat(reports.lines("allocated"))
                .containsExactly("allocated 0 DRAM 2968640+2048 OWNING", "allocated 1 DRAM 2968640+2048 OWNING");
        assertThat(reports.lines("freed"))
                .containsExactly("freed 0 DRAM 2968640 OWNING", "freed 1 DRAM 2968640 OWNING");
    }

    @Test
    void neverSeesViewsOrBuffersWithoutContent() {
        mesh.viewOn(0, PAGE, 2_968_640).deallocate();
        mesh.view(PAGE, 2_968_640).deallocate();
        mesh.allocate(BufferConfig.of(BufferType.DRAM, 0, 2_048)).deallocate();

        assertThat(reports.lines("allocated")).isEmpty();
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void neverSeesWhatIsFreedAfterTheClose() {
        MeshBuffer buffer = mesh.allocate(PAGE);
        Buffer single = mesh.allocateOn(0, PAGE);
        mesh.close();

        buffer.deallocate();
        single.deallocate();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.lines("ignored"))
                .containsExactly(
                        "ignored 0 DRAM 2968640 DEVICE_CLOSED",
                        "ignored 1 DRAM 2968640 DEVICE_CLOSED",
                        "ignored 0 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void takesTheNumberOfTheMeshForADeviceOnlyWithTheDefect() {
        RecordedReports confused = new RecordedReports();
        MeshDevice second = Ttnn.builder(confused)
                .reporting(ReportingModel.MAIN)
                .defects(RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0)
                .build()
                .openMeshDevice(MeshShape.of(1, 2));

        second.allocate(PAGE).deallocate();

        assertThat(confused.lines("allocated")).containsExactly("allocated 0 DRAM 2968640+2048 OWNING");
        assertThat(confused.lines("freed")).containsExactly("freed 0 DRAM 2968640 OWNING");
    }
}
