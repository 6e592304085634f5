package dev.meshguard.samples.errorpaths;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;

/** The first round fills the program cache; three rounds show that later rounds add nothing. */
class StableRoundsTests {

    // region: rounds
    @RepeatUntilStable
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    void decodingAgainAndAgainTakesNoMoreMemory(Ttnn ttnn, MeshDevice mesh) {
        CarefulDecoder.decode(ttnn, mesh);
    }
    // end region
}
