package dev.meshguard.junit.template;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An invalid template is rejected with its location, the value and the allowed values. */
class RejectedTemplatesTests implements WithFixtures {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            noLimit                | FailEachAllocation | limit = 0 is rejected. Give 1 or more.
            besideTest             | FailEachAllocation | @Test beside it is rejected. It makes a test of the method by itself: leave the other one out.
            besideRepeatedTest     | FailEachAllocation | @RepeatedTest beside it is rejected. It makes a test of the method by itself: leave the other one out.
            besideComposed         | RepeatUntilStable  | @FailEachAllocation beside it is rejected. It makes a test of the method by itself: leave the other one out.
            negativeWarmUp         | RepeatUntilStable  | warmUp = -1 is rejected. Give 0 or more.
            noRounds               | RepeatUntilStable  | atLeast = 0 is rejected. Give 1 or more.
            tooFewRounds           | RepeatUntilStable  | atMost = 6 is rejected. With warmUp = 5 and atLeast = 3 there are 7 rounds before anything is decided: give as many or more.
            endlessWarmUp          | RepeatUntilStable  | atMost = 20 is rejected. With warmUp = 2147483647 and atLeast = 3 there are 2147483649 rounds before anything is decided: give as many or more.
            concurrent             | FailEachAllocation | @Execution(CONCURRENT) is rejected. Each invocation depends on the one before: leave it out; other tests may still run at the same time.
            """)
    void namesTheAnnotationTheValueAndTheWayOut(String test, String annotation, String refusal) {
        assertThat(runTest(RejectedCase.class, test, JupiterRun.CONCURRENTLY))
                .hasTemplate(test)
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@" + annotation + " on RejectedTemplatesTests$RejectedCase#" + test + ": " + refusal);
    }

    static class RejectedCase {
        @FailEachAllocation(limit = 0)
        void noLimit(MeshDevice mesh) {}

        @Test
        @FailEachAllocation
        void besideTest(MeshDevice mesh) {}

        @RepeatedTest(2)
        @FailEachAllocation
        void besideRepeatedTest(MeshDevice mesh) {}

        @Both
        void besideComposed(MeshDevice mesh) {}

        @RepeatUntilStable(warmUp = -1)
        void negativeWarmUp(MeshDevice mesh) {}

        @RepeatUntilStable(atLeast = 0)
        void noRounds(MeshDevice mesh) {}

        @RepeatUntilStable(warmUp = 5, atMost = 6)
        void tooFewRounds(MeshDevice mesh) {}

        @RepeatUntilStable(warmUp = Integer.MAX_VALUE)
        void endlessWarmUp() {}

        @FailEachAllocation
        @Execution(ExecutionMode.CONCURRENT)
        void concurrent(MeshDevice mesh) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RepeatUntilStable
    @FailEachAllocation
    @interface Both {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OfClassTestCase {
        @FailEachAllocation
        @MustFail(
                error = ExtensionConfigurationException.class,
                message = "@FailEachAllocation on RejectedTemplatesTests$OfClassTestCase#faults: lifetime = CLASS is"
                        + " rejected. Its invocations need a mesh that no other test uses: let the lifetime be TEST.")
        void faults(MeshDevice mesh) {}

        @RepeatUntilStable
        @MustFail(
                error = ExtensionConfigurationException.class,
                message = "@RepeatUntilStable on RejectedTemplatesTests$OfClassTestCase#rounds: lifetime = CLASS is"
                        + " rejected. Its invocations need a mesh that no other test uses: let the lifetime be TEST.")
        void rounds(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.DEFAULT)
    static class DefaultLifetimeTestCase {
        @FailEachAllocation
        @Runs(2)
        void acceptsTheDefaultLifetime(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }
}
