package dev.meshguard.netty;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Netty on the class path is no answer to a tracker that a test asks for. */
class RequestedTrackerTests {

    @ParameterizedTest
    @ValueSource(classes = {UnusedTestCase.class, UnusedOfClassTestCase.class})
    void isInconclusiveIfNothingReportsToIt(Class<?> testClass) {
        assertThat(failuresOf(testClass))
                .singleElement()
                .asString()
                .startsWith("INCONCLUSIVE")
                .contains("Nothing was ever connected to the tracker");
    }

    @Test
    void isConnectedByABufferOrAnAnnouncement() {
        assertThat(failuresOf(ConnectedTestCase.class)).isEmpty();
    }

    @TrackAllocations
    static class UnusedTestCase {
        @Test
        void forgetsToHandItOn(AllocationTracker tracker) {
            try (Scope decode = tracker.phase("decode")) {
                assertThat(tracker.snapshot().amounts()).isEmpty();
            }
        }
    }

    /** A parameter of a method for all tests exists before Netty's session begins. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class UnusedOfClassTestCase {
        @BeforeAll
        static void forgetsToHandItOn(AllocationTracker tracker) {}

        @Test
        void allocatesNothing() {}
    }

    @TrackAllocations
    static class ConnectedTestCase {
        @Test
        void looksBesideABuffer(AllocationTracker tracker) {
            MemorySnapshot before = tracker.snapshot();
            ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(128);
            buffer.release();

            assertThat(before.amounts()).isEmpty();
        }

        @Test
        void announcesASource(AllocationTracker tracker) {
            tracker.sourceAttached("binding");
        }

        @Test
        void reports(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 64, 64);
            tracker.freed(0, BufferType.DRAM, 64);
        }

        @Test
        void asksForNoTracker() {}
    }
}
