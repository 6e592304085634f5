package dev.meshguard.samples.first;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.Test;

@TrackAllocations
class DecoderTests {

    @Test
    void freesWhatItAllocates(MeshDevice mesh) {
        var weights = mesh.allocate(BufferType.DRAM, 16_384);
        var tokens = mesh.allocate(BufferType.L1, 4_096);

        tokens.deallocate();
        weights.deallocate();
    }
}
