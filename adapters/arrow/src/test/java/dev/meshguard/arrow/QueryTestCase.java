package dev.meshguard.arrow;

import dev.meshguard.junit.TrackAllocations;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.junit.jupiter.api.Test;

// region: leaking-test
@TrackAllocations
class QueryTestCase {

    private IntVector scores;

    @Test
    void scoresEachRow(BufferAllocator allocator) {
        scores = new IntVector("scores", allocator.newChildAllocator("query", 0, Long.MAX_VALUE));
        scores.allocateNew(1024);
    }
}
// end region
