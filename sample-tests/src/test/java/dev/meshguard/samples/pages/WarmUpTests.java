package dev.meshguard.samples.pages;

import static dev.meshguard.mesh.tensor.DataType.BFLOAT16;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A mesh for several methods of a test, a phase, and a snapshot. */
@TrackAllocations
class WarmUpTests {

    private MeshDevice mesh;

    @BeforeEach
    void keep(MeshDevice mesh) { // the mesh of the test that follows
        this.mesh = mesh;
    }

    @Test
    void leavesNothing(Ttnn ttnn, AllocationTracker tracker) {
        MemorySnapshot before = tracker.snapshot();

        try (Scope warmUp = tracker.phase("warm-up")) { // failures name the phase of an allocation
            decode(ttnn);
        }

        assertThat(tracker.snapshot()).isEqualTo(before);
    }

    private void decode(Ttnn ttnn) {
        ttnn.deallocate(ttnn.empty(TensorShape.of(64, 64), BFLOAT16, mesh));
    }
}
