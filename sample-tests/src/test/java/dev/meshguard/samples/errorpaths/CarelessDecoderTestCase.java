package dev.meshguard.samples.errorpaths;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.samples.support.Fixture;

/** This test would pass as a {@code @Test}. */
@Fixture
@TrackAllocations
@FakeMesh(rows = 1, columns = 2)
class CarelessDecoderTestCase {

    // region: each-allocation
    @FailEachAllocation
    void decode(Ttnn ttnn, MeshDevice mesh) {
        CarelessDecoder.decode(ttnn, mesh);
    }
    // end region
}
