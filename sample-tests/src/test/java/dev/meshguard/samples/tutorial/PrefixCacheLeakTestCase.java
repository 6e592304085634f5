package dev.meshguard.samples.tutorial;

import static org.junit.jupiter.api.Assertions.assertSame;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

@Fixture
@TrackAllocations
class PrefixCacheLeakTestCase {

    /** The code under test: it keeps the keys of prompts on the devices. */
    static class PrefixCache {
        private final Map<String, Tensor> keys = new HashMap<>();

        Tensor keysOf(String prompt, Ttnn ttnn, MeshDevice mesh) {
            Tensor known = keys.get(prompt);
            if (known == null) {
                known = ttnn.empty(TensorShape.of(1, 8, 1024, 64), DataType.BFLOAT16, mesh);
                keys.put(prompt, known);
            }
            return known;
        }
    }

    private final PrefixCache cache = new PrefixCache();

    @Test
    void reusesKeys(Ttnn ttnn, MeshDevice mesh) {
        Tensor first = cache.keysOf("hello", ttnn, mesh);

        assertSame(first, cache.keysOf("hello", ttnn, mesh));
    }
}
