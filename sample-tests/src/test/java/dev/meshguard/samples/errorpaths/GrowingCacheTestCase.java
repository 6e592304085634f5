package dev.meshguard.samples.errorpaths;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.samples.support.Fixture;

/** A cache that is never emptied: each round adds a page. */
@Fixture
class GrowingCacheTestCase {

    @RepeatUntilStable
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    void decode(Ttnn ttnn, MeshDevice mesh) {
        CarefulDecoder.decode(ttnn, mesh);
        ttnn.empty(CarelessDecoder.CACHE, DataType.BFLOAT16, mesh);
    }
}
