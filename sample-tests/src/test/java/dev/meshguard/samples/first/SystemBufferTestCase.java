package dev.meshguard.samples.first;

import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.samples.support.Fixture;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** The dispatch buffers of a device that was initialised twice: the runtime frees only one of the two sets. */
@Fixture
class SystemBufferTestCase {

    @Test
    void initialisesItsDevicesTwice() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker)
                .systemBuffer(new Owner(Owner.Kind.DISPATCH, "prefetcher"), BufferType.DRAM, 12_288)
                .defects(RuntimeDefect.DEVICE_INITIALISED_TWICE)
                .build();

        MeshDevice mesh = ttnn.openMeshDevice();
        ttnn.closeMeshDevice(mesh);

        assertThat(tracker).onlyExpectedSystemBuffers();
    }
}
