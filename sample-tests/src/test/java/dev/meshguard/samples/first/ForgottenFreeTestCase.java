package dev.meshguard.samples.first;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.samples.support.Fixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cache keeps a buffer that is never freed. */
@Fixture
@TrackAllocations
class ForgottenFreeTestCase {

    private final List<Object> cache = new ArrayList<>();

    @Test
    void decode(MeshDevice mesh) {
        var keys = mesh.allocate(BufferType.DRAM, 1_048_576);
        var scores = mesh.allocate(BufferType.DRAM, 524_288);
        cache.add(keys);
        scores.deallocate();
        mesh.close();
    }
}
