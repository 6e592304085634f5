package dev.meshguard.samples.errorpaths;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FaultMatrix;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.samples.support.Fixture;

/** A grid of faults and defects of the runtime. */
@Fixture
@TrackAllocations
@FakeMesh(rows = 1, columns = 2)
class CarelessMatrixTestCase {

    @FaultMatrix(
            plans = {"failingOperation(1)", "closingTwice()"},
            defects = RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)
    void decode(Ttnn ttnn, MeshDevice mesh) {
        CarelessDecoder.decode(ttnn, mesh);
    }
}
