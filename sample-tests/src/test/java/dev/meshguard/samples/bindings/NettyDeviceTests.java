package dev.meshguard.samples.bindings;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixtures;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests a user's binding over a real native allocator with the same checks as the mesh without hardware. */
class NettyDeviceTests {

    // region: clean-test
    @Test
    @TrackAllocations
    void freesWhatItAllocated(AllocationTracker tracker) {
        NettyDevice netty = new NettyDevice();

        try (Decoder decoder = new Decoder(new TrackedDevice(netty, 0, tracker))) {
            decoder.decode(2);
            assertThat(netty.allocatedBytes()).isEqualTo(2 * 8192);
        }

        assertThat(tracker).noLeaks().hasBalancedReports().hasPeakBytes(BufferType.DRAM, 0, 2 * 8192 + 4096);
        assertThat(netty.allocatedBytes()).isZero();
    }
    // end region

    @Test
    void aDecoderThatNobodyClosesLeaks() {
        Throwable failure = Fixtures.failureOf(NettyDeviceTestCase.class);

        assertThat(withoutAddresses(failure.getMessage())).isEqualTo(expected(Fixtures.historyOf(failure), """
                LEAK  1 leak · 2 buffers · 16 KiB (16384 B) still allocated      [4 allocated = 2 freed + 2 leaked]
                1. DRAM 8 KiB (8192 B) x 2   device ●   HELD: still referenced by NettyDeviceTestCase.decoder -> Decoder.keys -> ArrayList[0] ({handle traced 1})
                   -> at dev.meshguard.samples.bindings.Decoder.decode(Decoder.java:20)
                   allocated in TEST ({allocated 2 to 4}) at 0x… (…), 0x… (…), unlabelled

                Tracked  allocated                    remaining
                DRAM     4 buffers, 24 KiB (24576 B)  2 buffers, 16 KiB (16384 B)
                Teardown  freed                   remaining
                TEST      DRAM 8 KiB on device 0  DRAM 16 KiB on device 0
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  20 KiB -> 16 KiB

                HELD: Free the buffer before the program ends, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 8192, atMost = 2, origin = "Decoder.decode", because = "…")
                   as a line of a file: DRAM device 0 size 8192 count atMost 2 origin "Decoder.decode" because "…"
                Reproduce: mvn test -Dtest=NettyDeviceTestCase#decodes"""));
    }

    @Test
    void theAllocatorAndTheTrackerAgreeOnManyThreads() throws Exception {
        AllocationTracker tracker = AllocationTracker.create();
        NettyDevice netty = new NettyDevice();
        Device device = new TrackedDevice(netty, 0, tracker);

        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Callable<Void>> decoders = Stream.generate(() -> (Callable<Void>) () -> {
                    for (int round = 0; round < 200; round++) {
                        try (Decoder decoder = new Decoder(device)) {
                            decoder.decode(3);
                        }
                    }
                    return null;
                })
                .limit(4)
                .toList();
        for (Future<Void> decoded : threads.invokeAll(decoders)) {
            decoded.get();
        }
        threads.shutdown();

        assertThat(tracker).noLeaks().hasBalancedReports();
        assertThat(netty.allocatedBytes()).isZero();
    }

    /** Where the memory lies is the operating system's affair. */
    private static String withoutAddresses(String text) {
        return text.replaceAll("0x[0-9a-f]+ \\(\\d+\\)", "0x… (…)");
    }
}
