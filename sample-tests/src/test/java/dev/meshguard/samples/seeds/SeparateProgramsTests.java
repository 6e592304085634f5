package dev.meshguard.samples.seeds;

import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshWorkload;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Seed 004: circular buffers of a mesh workload show on device 0 only; "you would need to run separate programs on each
 * device" to see them everywhere.
 */
class SeparateProgramsTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final Ttnn ttnn =
            Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build();
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

    @Test
    void oneMeshWorkloadShowsItsCircularBuffersOnDevice0() {
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program());

        mesh.enqueueMeshWorkload(workload);

        assertThat(tracker.liveBytes(0, L1)).isEqualTo(4_096);
        assertThat(IntStream.range(1, 8).boxed())
                .allSatisfy(device -> assertThat(tracker.liveBytes(device, L1)).isZero());
    }

    @Test
    void separateProgramsShowTheirsOnAllDevices() {
        for (int device : mesh.deviceIds()) {
            mesh.enqueueProgram(device, program());
        }

        assertThat(mesh.deviceIds())
                .hasSize(8)
                .allSatisfy(device -> assertThat(tracker.liveBytes(device, L1)).isEqualTo(4_096));
    }

    private Program program() {
        return ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(4_096));
    }
}
