package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.growth.Accumulation;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Each repetition of a test is a round of the mesh that they share. */
class RepeatedRoundsTests {

    @Test
    void whatARepetitionKeepsGrows() {
        assertThat(run(LeakTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withTextContaining("Expecting memory not to grow from round to round")
                .withTextContaining("[4096, 4096, 4096]");
    }

    @Test
    void whatTheFirstRepetitionKeepsIsACache() {
        assertThat(run(CacheTestCase.class)).hasOnlySucceeded(4);
    }

    @Test
    void testsWithAMeshOfTheirOwnHaveNoRounds() {
        assertThat(run(OwnMeshTestCase.class)).hasOnlySucceeded(2);
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, check = AllocationCheck.NONE)
    static class LeakTestCase {
        @RepeatedTest(3)
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @AfterAll
        static void grows(AllocationTracker tracker) {
            LeakAssertions.assertThat(tracker).accumulation().doesNotGrow();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, check = AllocationCheck.NONE)
    static class CacheTestCase {
        @RepeatedTest(4)
        void takesOnce(MeshDevice mesh, AllocationTracker tracker) {
            if (tracker.liveBuffers() == 0) {
                Buffers.take(mesh);
            }
        }

        @AfterAll
        static void hasSettled(AllocationTracker tracker) {
            LeakAssertions.assertThat(tracker).accumulation().hasSettled().memoryGrowsBy(BufferType.DRAM, 0, 0);
        }
    }

    @TrackAllocations
    static class OwnMeshTestCase {
        @RepeatedTest(2)
        void frees(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh).deallocate();
            Assertions.assertThat(Accumulation.of(tracker.history()).rounds()).isZero();
        }
    }
}
