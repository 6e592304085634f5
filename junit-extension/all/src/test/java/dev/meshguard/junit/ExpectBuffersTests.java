package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Expected buffers may remain, within their bounds. */
class ExpectBuffersTests implements WithFixtures {

    @TrackAllocations
    static class TrackedTestCase {
        @Test
        @ExpectBuffers(
                type = BufferType.DRAM,
                size = 4_096,
                atMost = 8,
                label = "weights",
                origin = "TrackedTestCase.aBufferThatFitsEveryConditionIsExpected",
                because = "shared")
        void aBufferThatFitsEveryConditionIsExpected(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        @ExpectBuffers(
                devices = {0, 1, 2, 3, 4, 5, 6, 7},
                size = 4_096,
                atLeast = 8,
                atMost = 9,
                until = "9999-12-31",
                because = "shared")
        void boundsDevicesAndTimeAreConditionsToo(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class NotFittingTestCase {
        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @ExpectBuffers(label = "weights", because = "loaded before")
        @MustFail(verdict = Outcome.LEAKED, text = "Never matched: 1 (label \"weights\", because \"loaded before\")")
        void anotherLabel() {}

        @Test
        @ExpectBuffers(owner = "program", because = "kept for the next run")
        @MustFail(verdict = Outcome.LEAKED, text = "Never matched: 1 (")
        void anotherOwner() {}

        @Test
        @ExpectBuffers(exactly = 9, because = "one more than there are")
        @MustFail(verdict = Outcome.STALE_EXPECTATION, text = "STALE  1 expectation promises more than survived")
        void oneLess() {}

        @Test
        @ExpectBuffers(until = "1999-12-31", because = "of old")
        @MustFail(verdict = Outcome.LEAKED, text = "LEAK  32 KiB in 8 DRAM buffers")
        void expired() {}

        @Test
        @ExpectBuffers(type = BufferType.DRAM, atMost = 7, because = "seven are enough")
        @MustFail(verdict = Outcome.LEAKED, text = "because \"seven are enough\"); 1 more than that allows")
        void oneMore() {}

        @Test
        @FakeMesh(rows = 1, columns = 1)
        @ExpectBuffers(type = BufferType.DRAM, atMost = 1, because = "one is shared")
        @MustFail(verdict = Outcome.LEAKED, text = "sum     2 allocated = 0 freed + 1 leaked + 1 expected\n")
        void anotherAtTheSameAddress(MeshDevice mesh) {
            mesh.allocateOn(0, BufferConfig.of(BufferType.DRAM, 4_096, 4_096));
        }
    }

    @TrackAllocations
    @ExpectBuffers(label = "outer", because = "of the class around")
    static class AddingTestCase {
        @Nested
        @ExpectBuffers(label = "class", because = "of the class")
        @ExpectBuffers(label = "class too", because = "of the class as well")
        class InnerTestCase {
            @Test
            @ExpectBuffers(label = "method", because = "of the method")
            void entriesOfMethodClassAndClassAroundAddUp(MeshDevice mesh) {
                Buffers.take(mesh, "outer");
                Buffers.take(mesh, "class");
                Buffers.take(mesh, "class too");
                Buffers.take(mesh, "method");
            }
        }
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class AloneTestCase {
        @MustLeak
        void anEntryAloneTracksTheTest(MeshDevice mesh) {
            Buffers.take(mesh, "cache");
        }
    }
}
