package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import org.bytedeco.javacpp.IntPointer;
import org.junit.jupiter.api.Test;

@TrackAllocations
class PointerTests {

    @Test
    void closesItsSamples(NativeHandles handles) {
        try (TrackedPointers tracked = new TrackedPointers(handles);
                IntPointer samples = Samples.ofLength(64)) {
            samples.put(0, 7);

            assertEquals(7, samples.get(0));
        }
    }

    @Test
    @ExpectBuffers(label = "IntPointer", exactly = 1, because = "one small array in each run is left to the collector")
    void mayLeaveThemToTheCollector(NativeHandles handles) {
        try (TrackedPointers tracked = new TrackedPointers(handles)) {
            assertEquals(64, Samples.ofLength(64).capacity());
        }
    }
}
