package dev.meshguard.example;

import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import org.junit.jupiter.api.Test;

/** Leaks on a mesh of the class, which fails after its tests. */
@TrackAllocations(lifetime = TrackingLifetime.CLASS)
class LeakingClassTestCase {

    @Test
    void leaks(Ttnn ttnn, MeshDevice mesh) {
        LeakingTestCase.leak(ttnn, mesh);
    }
}
