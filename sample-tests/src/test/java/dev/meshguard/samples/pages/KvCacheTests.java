package dev.meshguard.samples.pages;

import static dev.meshguard.junit.Accounting.EACH_TEST;
import static dev.meshguard.junit.TrackingLifetime.CLASS;
import static dev.meshguard.mesh.tensor.DataType.BFLOAT16;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cache of the class, with further allocations of each test. */
// region: each-test
@TrackAllocations(lifetime = CLASS, accounting = EACH_TEST)
class KvCacheTests {

    private static Tensor keys;

    @BeforeAll
    static void load(Ttnn ttnn, MeshDevice mesh) { // of the class
        keys = ttnn.empty(TensorShape.of(64, 64), BFLOAT16, mesh);
    }

    @Test
    void decode(Ttnn ttnn) { // of this test, though the mesh goes on
        ttnn.deallocate(ttnn.add(keys, keys));
    }

    @AfterAll
    static void unload(Ttnn ttnn) {
        ttnn.deallocate(keys);
    }
}
// end region
