package dev.meshguard.samples.tutorial;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.Test;

@TrackAllocations
class FirstMeshTests {

    @Test
    void freesItsBuffer(MeshDevice mesh) {
        var weights = mesh.allocate(BufferType.DRAM, 4_096);

        weights.deallocate();
    }
}
