package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exactly the test that leaked fails. */
class BlameTests {

    @Test
    void onlyTheInvocationThatLeakedFails() {
        RunAssert run = assertThat(run(ParameterizedTestCase.class));

        run.hasInvocation("decode", 1).whichSucceeded();
        run.hasInvocation("decode", 2)
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("rerun   mvn test -Dtest='BlameTests$ParameterizedTestCase#decode'");
        run.hasInvocation("decode", 3).whichSucceeded();
    }

    @Test
    void onlyTheRepetitionThatLeakedFails() {
        RunAssert run = assertThat(run(RepeatedTestCase.class));

        run.hasInvocation("decode", 1).whichFailed().withVerdict(Outcome.LEAKED);
        run.hasInvocation("decode", 2).whichSucceeded();
    }

    @Test
    void testsThatRunAtTheSameTimeAreBlamedForTheirOwnBuffersOnly() {
        RunAssert run = assertThat(JupiterRun.runConcurrently(ConcurrentTestCase.class));

        for (int index = 1; index <= 32; index++) {
            RunAssert.Subject invocation = run.hasInvocation("decode", index);
            if (index % 3 == 0) {
                invocation.whichFailed().withVerdict(Outcome.LEAKED).withTextContaining("label \"of " + index + '"');
            } else {
                invocation.whichSucceeded();
            }
        }
    }

    @TrackAllocations
    static class ParameterizedTestCase {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        void decode(int number, MeshDevice mesh) {
            if (number == 2) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations
    static class RepeatedTestCase {
        @RepeatedTest(2)
        void decode(RepetitionInfo repetition, MeshDevice mesh) {
            if (repetition.getCurrentRepetition() == 1) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations
    static class ConcurrentTestCase {
        @RepeatedTest(32)
        void decode(RepetitionInfo repetition, MeshDevice mesh, AllocationTracker tracker) {
            int current = repetition.getCurrentRepetition();
            for (int i = 0; i < 50; i++) {
                Buffers.take(mesh).deallocate();
            }
            Assertions.assertThat(tracker.liveBuffers()).isZero();
            if (current % 3 == 0) {
                Buffers.take(mesh, "of " + current);
            }
        }
    }
}
