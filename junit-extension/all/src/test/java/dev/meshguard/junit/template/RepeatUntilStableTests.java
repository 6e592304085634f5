package dev.meshguard.junit.template;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.opentest4j.AssertionFailedError;

/** A test is repeated on one mesh until a trend is certain. */
class RepeatUntilStableTests {

    @Test
    void stopsAsSoonAsMemoryHasSettled() {
        assertThat(run(CacheTestCase.class))
                .hasOnlySucceeded(3)
                .hasInvocationsNamed("decode", "round 1 (warm-up)", "round 2", "round 3");
    }

    @Test
    void failsAsSoonAsMemoryGrows() {
        assertThat(run(LeakTestCase.class))
                .hasInvocationsNamed("decode", "round 1 (warm-up)", "round 2", "round 3")
                .hasInvocation("decode", 3)
                .whichFailed()
                .with(AssertionFailedError.class)
                .withFirstFrameIn(LeakTestCase.class, "decode")
                .withText("""
                Memory grows with the rounds of RepeatUntilStableTests$LeakTestCase#decode:
                  GROWING  3 rounds, the first for warming up · memory grows: DRAM of devices 0-1 by 4 KiB (4096 B) per round
                  Memory retained by each round, in bytes:
                     DRAM of devices 0-1  [4096, 4096, 4096]  growing by 4 KiB (4096 B) per round, in rounds 2-3
                  Call sites, the worst first:
                     DRAM "kv-cache" from RepeatUntilStableTests$LeakTestCase.decode, buffers retained on devices 0-1: [1, 1, 1], growing
                        at dev.meshguard.junit.template.RepeatUntilStableTests$LeakTestCase.decode(RepeatUntilStableTests.java:NN)
                rerun   mvn test -Dtest='RepeatUntilStableTests$LeakTestCase#decode'""");
    }

    @Test
    void goesOnWhileNothingIsDecided() {
        assertThat(run(SettlingTestCase.class)).hasOnlySucceeded(5);
    }

    @Test
    void failsWhereNothingIsDecidedInTime() {
        assertThat(run(UndecidedTestCase.class))
                .hasInvocation("decode", 4)
                .whichFailed()
                .withTextContaining(
                        "After 4 rounds, which is atMost, it is not decided whether memory grows with the rounds of"
                                + " RepeatUntilStableTests$UndecidedTestCase#decode: UNDECIDED")
                .withTextContaining("[16384, 12288, 8192, 4096]  undecided, at least 1 more round needed")
                .withTextContaining("Raise atMost, or warmUp where the first rounds fill a cache. rerun   mvn test"
                        + " -Dtest='RepeatUntilStableTests$UndecidedTestCase#decode'");
    }

    @Test
    void failsWhereItCannotBeKnown() {
        assertThat(run(LosingTestCase.class))
                .hasInvocation("decode", 3)
                .whichFailed()
                .withTextContaining("It cannot be known whether memory grows with the rounds of"
                        + " RepeatUntilStableTests$LosingTestCase#decode: UNDECIDED")
                .withTextContaining("the source noticed that a report of device 0 got lost")
                .withTextContaining("rerun   mvn test -Dtest='RepeatUntilStableTests$LosingTestCase#decode'");
    }

    @Test
    void takesLongerWhereMoreRoundsAreAskedFor() {
        var results = run(SlowLeakTestCase.class);

        assertThat(results).hasInvocation("seenTooShortly", 3).whichSucceeded();
        assertThat(results)
                .hasInvocation("seenForLong", 8)
                .whichFailed()
                .withTextContaining("[0, 0, 0, 4096, 0, 0, 0, 4096]  growing by about");
    }

    @Test
    void whatWarmsUpLongerIsNoGrowthWhenSaidSo() {
        assertThat(run(WarmUpTestCase.class))
                .hasOnlySucceeded(5)
                .hasInvocationsNamed(
                        "decode", "round 1 (warm-up)", "round 2 (warm-up)", "round 3 (warm-up)", "round 4", "round 5");
    }

    @Test
    void lifecycleMethodsAndFieldsThatAreClosedBelongToTheRound() {
        assertThat(run(LifecycleTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void stopsWithARoundThatFails() {
        var results = run(FailingTestCase.class);

        assertThat(results).hasInvocationsNamed("decode", "round 1 (warm-up)", "round 2");
        assertThat(results)
                .hasInvocation("decode", 2)
                .whichFailed()
                .with(IllegalStateException.class, "second round")
                .withNothingSuppressed();
    }

    @Test
    void stopsWithARoundThatIsAborted() {
        assertThat(run(AbortedTestCase.class)).hasSingleTest().whichWasAborted();
    }

    @Test
    void roundsThatTakeNothingFail() {
        assertThat(run(NothingTestCase.class))
                .hasInvocation("decode", 3)
                .whichFailed()
                .with(
                        AssertionFailedError.class,
                        "@RepeatUntilStable on RepeatUntilStableTests$NothingTestCase#decode: no round took memory through the"
                                + " mesh or the Ttnn that it is given, so nothing was judged. A mesh that a constructor or a"
                                + " @BeforeAll method was given under PER_CLASS is the class's.");
    }

    @Test
    void otherTestsOfTheClassHaveMeshesOfTheirOwn() {
        assertThat(run(NeighboursTestCase.class)).hasOnlySucceeded(3 + 3 + 2);
    }

    @Test
    void worksInNestedClassesAndWithOneInstanceForAllRounds() {
        assertThat(run(NestedTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void eachRoundMayOpenAMeshOfItsOwn() {
        assertThat(run(OwnMeshTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void aRoundThatIsRunByItselfSaysThatItJudgesNothing() {
        assertThat(runInvocation(LeakTestCase.class, "decode", 3))
                .hasSingleTest()
                .whichFailed()
                .withText(
                        "@RepeatUntilStable on RepeatUntilStableTests$LeakTestCase#decode: 1 of 3 rounds ran, so whether"
                                + " memory grows was not judged. Rounds are judged together: run all of the method.");
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class CacheTestCase {
        private final List<MeshBuffer> cache = new ArrayList<>();

        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            if (cache.isEmpty()) {
                cache.add(Buffers.take(mesh));
            }
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class LeakTestCase {
        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            Buffers.take(mesh, "kv-cache");
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class SettlingTestCase {
        private int rounds;

        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            rounds++;
            if (rounds == 1 || rounds == 3) {
                Buffers.take(mesh);
            }
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class UndecidedTestCase {
        private int left = 4;

        @RepeatUntilStable(atMost = 4)
        void decode(MeshDevice mesh) {
            for (int i = 0; i < left; i++) {
                Buffers.take(mesh);
            }
            left--;
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class LosingTestCase {
        private int rounds;

        @RepeatUntilStable
        void decode(MeshDevice mesh, AllocationTracker tracker) {
            MeshBuffer buffer = Buffers.take(mesh);
            if (rounds++ == 0) {
                tracker.reportsLost(1, "the source noticed that a report of device 0 got lost");
            } else {
                buffer.deallocate();
            }
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class SlowLeakTestCase {
        private int rounds;

        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @RepeatUntilStable
        void seenTooShortly(AllocationTracker tracker, MeshDevice mesh) {
            leakEachFourth(tracker, mesh);
        }

        @RepeatUntilStable(atLeast = 8)
        void seenForLong(AllocationTracker tracker, MeshDevice mesh) {
            leakEachFourth(tracker, mesh);
        }

        private void leakEachFourth(AllocationTracker tracker, MeshDevice mesh) {
            rounds = tracker.history().generations().size() == 1 ? 1 : rounds + 1;
            if (rounds % 4 == 0) {
                Buffers.take(mesh);
            }
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class WarmUpTestCase {
        private int rounds;

        @RepeatUntilStable(warmUp = 3)
        void decode(MeshDevice mesh) {
            rounds++;
            if (rounds <= 3) {
                Buffers.take(mesh);
            }
        }
    }

    static class LifecycleTestCase {
        private MeshBuffer before;

        @AutoClose("deallocate")
        @SuppressWarnings("UnusedVariable") // Jupiter reads it.
        private MeshBuffer closed;

        @BeforeEach
        void takes(MeshDevice mesh) {
            before = Buffers.take(mesh);
        }

        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            closed = Buffers.take(mesh);
        }

        @AfterEach
        void frees() {
            before.deallocate();
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class FailingTestCase {
        private int rounds;

        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            rounds++;
            Buffers.take(mesh);
            if (rounds == 2) {
                throw new IllegalStateException("second round");
            }
        }
    }

    static class AbortedTestCase {
        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            Assumptions.abort("not here");
        }
    }

    static class NothingTestCase {
        @RepeatUntilStable
        void decode(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class NeighboursTestCase {
        @RepeatUntilStable
        void one(MeshDevice mesh, Ttnn ttnn) {
            Buffers.take(mesh).deallocate();
            Assertions.assertThat(ttnn.openMeshDevices()).containsExactly(mesh);
        }

        @RepeatUntilStable
        void other(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh, "other").deallocate();
            Assertions.assertThat(tracker.history().generations())
                    .allMatch(buffer -> buffer.label().isPresent());
        }

        @RepeatedTest(2)
        void neither(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh).deallocate();
            Assertions.assertThat(tracker.history().generations()).hasSize(8);
        }
    }

    static class NestedTestCase {
        @Nested
        @TestInstance(Lifecycle.PER_CLASS)
        class Inner {
            @RepeatUntilStable
            void decode(MeshDevice mesh) {
                Buffers.take(mesh).deallocate();
            }
        }
    }

    static class OwnMeshTestCase {
        @RepeatUntilStable
        void decode(Ttnn ttnn) {
            try (MeshDevice mesh = ttnn.openDevice(0)) {
                Buffers.take(mesh).deallocate();
            }
        }
    }
}
