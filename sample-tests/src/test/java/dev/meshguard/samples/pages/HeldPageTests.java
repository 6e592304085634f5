package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.handle.HandleSearch;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/causes.md}. */
class HeldPageTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final List<Tensor> cache = new ArrayList<>();

    @Test
    void aSearchInCodeFindsTheField() {
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        cache.add(ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh));
        ttnn.closeMeshDevice(mesh);

        assertThatThrownBy(this::check)
                .isInstanceOf(LeakAssertionError.class)
                .hasMessageContaining("HELD: still referenced by HeldPageTests.cache -> ArrayList[0]");
    }

    private void check() {
        // region: search
        HandleSearch.from(this).trace(tracker, tracker.history());
        assertThat(tracker).noLeaks();
        // end region
    }
}
