package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingPointerTestCase {

    @Test
    void dropsItsSamples(NativeHandles handles) {
        try (TrackedPointers tracked = new TrackedPointers(handles)) {
            assertEquals(64, Samples.ofLength(64).capacity());
        }
    }
}
