package dev.meshguard.samples.bindings;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixture;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** A decoder that is never closed. */
@Fixture
@TrackAllocations
class NettyDeviceTestCase {

    private Decoder decoder;

    @Test
    void decodes(AllocationTracker tracker) {
        decoder = new Decoder(new TrackedDevice(new NettyDevice(), 0, tracker));

        decoder.decode(2);
    }
}
