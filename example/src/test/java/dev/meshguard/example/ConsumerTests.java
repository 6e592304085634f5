package dev.meshguard.example;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

@TrackAllocations
class ConsumerTests {

    @Test
    void freesWhatItAllocates(Ttnn ttnn, MeshDevice mesh) {
        Tensor a = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        Tensor b = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(a, b));
        ttnn.deallocate(a);
        ttnn.deallocate(b);
    }

    @Test
    @TrackAllocations(check = AllocationCheck.NONE)
    void asksForALeakItself(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        mesh.close();

        assertThatThrownBy(() -> assertThat(tracker).noLeaks())
                .isInstanceOf(LeakAssertionError.class)
                .hasMessageStartingWith("LEAK  ");
    }
}
