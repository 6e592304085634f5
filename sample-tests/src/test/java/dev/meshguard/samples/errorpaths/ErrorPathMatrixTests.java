package dev.meshguard.samples.errorpaths;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FaultMatrix;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;

/** The code under test frees its memory after every fault, also if the runtime misreports it. */
class ErrorPathMatrixTests {

    // region: matrix
    @FaultMatrix(
            plans = {"failingOperation(1)", "deviceStopsAnswering(1, 1)", "losingReport(2, FREE)", "closingTwice()"},
            defects = {
                RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE,
                RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0
            })
    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    @FakeMesh(rows = 1, columns = 2)
    void freesEverything(Ttnn ttnn, MeshDevice mesh) {
        CarefulDecoder.decode(ttnn, mesh);
    }
    // end region
}
