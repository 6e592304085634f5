package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** The example of the page on memory that has no room. */
@TrackAllocations
class OutOfMemoryPageTests {

    // region: fragmented
    @Test
    void theCacheSplitsTheFreeMemory(Ttnn ttnn, MeshDevice mesh) {
        Tensor first = ttnn.empty(activations("layer 1", 7_168), mesh);
        Tensor cache = ttnn.empty(activations("kv-cache", 7_168), mesh);
        Tensor second = ttnn.empty(activations("layer 2", 7_168), mesh);
        ttnn.deallocate(first);
        ttnn.deallocate(second);

        InsufficientMemoryException error = catchThrowableOfType(
                InsufficientMemoryException.class, () -> ttnn.empty(activations("scores", 14_336), mesh));

        assertThat(error.shortage().orElseThrow()).isFragmented().isHeldBy("kv-cache");
        ttnn.deallocate(cache);
    }

    private static TensorSpec activations(String label, int rows) {
        return TensorSpec.of(TensorShape.of(1, 1, rows, 2_048), DataType.BFLOAT16)
                .in(L1)
                .named(label);
    }
    // end region

    /** Returns the message of the same error, without the line that names what calls this method. */
    String message() {
        Ttnn ttnn = Ttnn.create(AllocationTracker.create());
        MeshDevice mesh = ttnn.openMeshDevice();
        Tensor first = ttnn.empty(activations("layer 1", 7_168), mesh);
        ttnn.empty(activations("kv-cache", 7_168), mesh);
        Tensor second = ttnn.empty(activations("layer 2", 7_168), mesh);
        ttnn.deallocate(first);
        ttnn.deallocate(second);

        return String.valueOf(catchThrowableOfType(
                                InsufficientMemoryException.class,
                                () -> ttnn.empty(activations("scores", 14_336), mesh))
                        .getMessage())
                .replaceFirst("\n *called at .*", "");
    }
}
