package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.junit.AllocationCheck.NONE;
import static dev.meshguard.mesh.tensor.DataType.BFLOAT16;
import static dev.meshguard.tracker.OriginCapture.ALLOCATIONS_AND_FREES;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** Policies of a class, and of two of its tests. */
// region: policies
@TrackAllocations(grace = "2 s")
@FakeMesh(rows = 1, columns = 2)
class PrefetchTests {

    @Test
    void prefetches(Ttnn ttnn, MeshDevice mesh) { // waits for 2 seconds at most
        Tensor page = ttnn.empty(TensorShape.of(64, 64), BFLOAT16, mesh);
        new Thread(() -> ttnn.deallocate(page)).start();
    }

    @Test
    @TrackAllocations(grace = "2 s", origins = ALLOCATIONS_AND_FREES)
    void prefetchesTwice(Ttnn ttnn, MeshDevice mesh) { // waits as well, because its annotation repeats the grace
        prefetches(ttnn, mesh);
        prefetches(ttnn, mesh);
    }

    @Test
    @TrackAllocations(check = NONE)
    void assertsItself(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) { // on the same 1x2 mesh
        ttnn.deallocate(ttnn.empty(TensorShape.of(64, 64), BFLOAT16, mesh));
        ttnn.closeMeshDevice(mesh);

        assertThat(tracker).noLeaks();
    }
}
// end region
