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
                LEAK  16 KiB in 2 DRAM buffers, HELD by Decoder.keys; allocated in Decoder.java:20

                1. DRAM  2 x 8 KiB on device 0
                   at dev.meshguard.samples.bindings.Decoder.decode(Decoder.java:20)
                   at dev.meshguard.samples.bindings.NettyDeviceTestCase.decodes(NettyDeviceTestCase.java:19)
                   why   HELD: still referenced by NettyDeviceTestCase.decoder -> Decoder.keys -> ArrayList[0..1] (events #11 to #12)
                   fix   Free the buffer before the program ends, or drop the reference if the handle frees on collection.
                   seen  allocated in TEST (events #4 to #7)

                limits  no allocator snapshot: rests on the reports alone
                sum     4 allocated = 2 freed + 2 leaked
                expect  @ExpectBuffers(type = DRAM, device = 0, size = 8192, atMost = 2, origin = "Decoder.decode", because = "…")
                rerun   mvn test -Dtest=NettyDeviceTestCase#decodes"""));
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
