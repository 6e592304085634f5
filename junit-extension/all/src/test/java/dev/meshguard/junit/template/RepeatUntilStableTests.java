package dev.meshguard.junit.template;

import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.opentest4j.AssertionFailedError;

/** A test is repeated on one mesh until a trend is certain. */
class RepeatUntilStableTests implements WithFixtures {

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class RoundsTestCase {
        @Runs(3)
        @MustFail(error = AssertionFailedError.class, frame = "RoundsTestCase.leaks", message = """
                Memory grows with the rounds of RepeatUntilStableTests$RoundsTestCase#leaks:
                  GROWING  3 rounds, the first for warming up · memory grows: DRAM of devices 0-1 by 4 KiB (4096 B) per round
                  Memory retained by each round, in bytes:
                     DRAM of devices 0-1  [4096, 4096, 4096]  growing by 4 KiB (4096 B) per round, in rounds 2-3
                  Call sites, the worst first:
                     DRAM "kv-cache" from RepeatUntilStableTests$RoundsTestCase.leaks, buffers retained on devices 0-1: [1, 1, 1], growing
                        at dev.meshguard.junit.template.RepeatUntilStableTests$RoundsTestCase.leaks(RepeatUntilStableTests.java:NN)
                rerun   mvn test -Dtest='RepeatUntilStableTests$RoundsTestCase#leaks'""")
        @RepeatUntilStable
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh, "kv-cache");
        }

        @MustFail(aborted = true)
        @RepeatUntilStable
        void stopsWithARoundThatIsAborted(MeshDevice mesh) {
            Assumptions.abort("not here");
        }

        @Runs(3)
        @MustFail(
                error = AssertionFailedError.class,
                message =
                        "@RepeatUntilStable on RepeatUntilStableTests$RoundsTestCase#roundsThatTakeNothingFail: no round took memory"
                                + " through the mesh or the Ttnn that it is given, so nothing was judged. A mesh that a constructor or a"
                                + " @BeforeAll method was given under PER_CLASS is the class's.")
        @RepeatUntilStable
        void roundsThatTakeNothingFail(MeshDevice mesh) {}

        @Runs(3)
        @RepeatUntilStable
        void eachRoundMayOpenAMeshOfItsOwn(Ttnn ttnn) {
            try (MeshDevice mesh = ttnn.openDevice(0)) {
                Buffers.take(mesh).deallocate();
            }
        }

        @Runs(3)
        @RepeatUntilStable
        void theMeshIsTheOnlyOneOfItsRuntime(MeshDevice mesh, Ttnn ttnn) {
            Buffers.take(mesh).deallocate();
            Assertions.assertThat(ttnn.openMeshDevices()).containsExactly(mesh);
        }

        @Runs(3)
        @RepeatUntilStable
        void stopsAsSoonAsMemoryHasSettled(MeshDevice mesh, TestInfo round) {
            takeIf(numberOf(round) == 1, mesh);
        }

        @Runs(5)
        @RepeatUntilStable
        void goesOnWhileNothingIsDecided(MeshDevice mesh, TestInfo round) {
            takeIf(numberOf(round) == 1 || numberOf(round) == 3, mesh);
        }

        @Runs(4)
        @MustFail(
                text = {
                    "After 4 rounds, which is atMost, it is not decided whether memory grows with the rounds of"
                            + " RepeatUntilStableTests$RoundsTestCase#failsWhereNothingIsDecidedInTime: UNDECIDED",
                    "[16384, 12288, 8192, 4096]  undecided, at least 1 more round needed",
                    "Raise atMost, or warmUp where the first rounds fill a cache. rerun   mvn test"
                            + " -Dtest='RepeatUntilStableTests$RoundsTestCase#failsWhereNothingIsDecidedInTime'"
                })
        @RepeatUntilStable(atMost = 4)
        void failsWhereNothingIsDecidedInTime(MeshDevice mesh, TestInfo round) {
            for (int left = numberOf(round); left <= 4; left++) {
                Buffers.take(mesh);
            }
        }

        @Runs(3)
        @MustFail(
                text = {
                    "It cannot be known whether memory grows with the rounds of"
                            + " RepeatUntilStableTests$RoundsTestCase#failsWhereItCannotBeKnown: UNDECIDED",
                    "the source noticed that a report of device 0 got lost",
                    "rerun   mvn test -Dtest='RepeatUntilStableTests$RoundsTestCase#failsWhereItCannotBeKnown'"
                })
        @RepeatUntilStable
        void failsWhereItCannotBeKnown(MeshDevice mesh, AllocationTracker tracker, TestInfo round) {
            takeIf(numberOf(round) == 1, mesh);
            if (numberOf(round) == 1) {
                tracker.reportsLost(1, "the source noticed that a report of device 0 got lost");
            }
        }

        @Runs(8)
        @MustFail(text = "[0, 0, 0, 4096, 0, 0, 0, 4096]  growing by about")
        @RepeatUntilStable(atLeast = 8)
        void takesLongerWhereMoreRoundsAreAskedFor(MeshDevice mesh, TestInfo round) {
            takeIf(numberOf(round) % 4 == 0, mesh);
        }

        @Runs(5)
        @RepeatUntilStable(warmUp = 3)
        void whatWarmsUpLongerIsNoGrowthWhenSaidSo(MeshDevice mesh, TestInfo round) {
            takeIf(numberOf(round) <= 3, mesh);
        }

        @Runs(2)
        @MustFail(error = IllegalStateException.class, message = "second round", alone = true)
        @RepeatUntilStable
        void stopsWithARoundThatFails(MeshDevice mesh, TestInfo round) {
            Buffers.take(mesh);
            if (numberOf(round) == 2) {
                throw new IllegalStateException("second round");
            }
        }

        private static int numberOf(TestInfo round) {
            return Integer.parseInt(round.getDisplayName().replaceAll("\\D", ""));
        }

        /** Takes a buffer that remains, and in any case one that is freed. */
        private static void takeIf(boolean remains, MeshDevice mesh) {
            if (remains) {
                Buffers.take(mesh);
            }
            Buffers.take(mesh).deallocate();
        }
    }

    @Test
    void namesEachRound() {
        assertThat(runTest(RoundsTestCase.class, "whatWarmsUpLongerIsNoGrowthWhenSaidSo", Map.of()))
                .hasInvocationsNamed(
                        "whatWarmsUpLongerIsNoGrowthWhenSaidSo",
                        "round 1 (warm-up)",
                        "round 2 (warm-up)",
                        "round 3 (warm-up)",
                        "round 4",
                        "round 5");
    }

    @Test
    void aRoundThatIsRunByItselfSaysThatItJudgesNothing() {
        assertThat(runInvocation(RoundsTestCase.class, "leaks", 3))
                .hasSingleTest()
                .whichFailed()
                .withText(
                        "@RepeatUntilStable on RepeatUntilStableTests$RoundsTestCase#leaks: 1 of 3 rounds ran, so whether"
                                + " memory grows was not judged. Rounds are judged together: run all of the method.");
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

        @Runs(3)
        @RepeatUntilStable
        void lifecycleMethodsAndFieldsThatAreClosedBelongToTheRound(MeshDevice mesh) {
            closed = Buffers.take(mesh);
        }

        @AfterEach
        void frees() {
            before.deallocate();
        }
    }

    static class NestedTestCase {
        @Nested
        @TestInstance(Lifecycle.PER_CLASS)
        class Inner {
            @Runs(3)
            @RepeatUntilStable
            void worksInNestedClassesAndWithOneInstanceForAllRounds(MeshDevice mesh) {
                Buffers.take(mesh).deallocate();
            }
        }
    }
}
