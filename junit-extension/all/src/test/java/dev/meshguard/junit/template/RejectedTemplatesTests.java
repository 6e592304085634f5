package dev.meshguard.junit.template;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.testkit.Buffers;
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
class RejectedTemplatesTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NoLimitTestCase        | FailEachAllocation | limit = 0 is rejected. Give 1 or more.
            BesideTestTestCase     | FailEachAllocation | @Test beside it is rejected. It makes a test of the method by itself: leave the other one out.
            BesideRepeatedTestCase | FailEachAllocation | @RepeatedTest beside it is rejected. It makes a test of the method by itself: leave the other one out.
            BesideComposedTestCase | RepeatUntilStable  | @FailEachAllocation beside it is rejected. It makes a test of the method by itself: leave the other one out.
            NegativeWarmUpTestCase | RepeatUntilStable  | warmUp = -1 is rejected. Give 0 or more.
            NoRoundsTestCase       | RepeatUntilStable  | atLeast = 0 is rejected. Give 1 or more.
            TooFewRoundsTestCase   | RepeatUntilStable  | atMost = 6 is rejected. With warmUp = 5 and atLeast = 3 there are 7 rounds before anything is decided: give as many or more.
            EndlessWarmUpTestCase  | RepeatUntilStable  | atMost = 20 is rejected. With warmUp = 2147483647 and atLeast = 3 there are 2147483649 rounds before anything is decided: give as many or more.
            """)
    void namesTheAnnotationTheValueAndTheWayOut(String testCase, String annotation, String refusal)
            throws ClassNotFoundException {
        assertThat(run(Class.forName(RejectedTemplatesTests.class.getName() + "$" + testCase)))
                .hasTemplate("decode")
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@" + annotation + " on RejectedTemplatesTests$" + testCase + "#decode: " + refusal);
    }

    @Test
    void runsAtTheSameTime() {
        assertThat(runConcurrently(ConcurrentTestCase.class))
                .hasTemplate("decode")
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@FailEachAllocation on RejectedTemplatesTests$ConcurrentTestCase#decode: @Execution(CONCURRENT) is"
                                + " rejected. Each invocation depends on the one before: leave it out; other tests may still run"
                                + " at the same time.");
    }

    @Test
    void aMeshThatLastsForTheClass() {
        assertThat(run(ClassLifetimeTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@FailEachAllocation on RejectedTemplatesTests$ClassLifetimeTestCase#decode: lifetime = CLASS is"
                                + " rejected. Its invocations need a mesh that no other test uses: let the lifetime be TEST.");
    }

    @Test
    void aMeshThatLastsForTheClassOfRounds() {
        assertThat(run(RoundsClassLifetimeTestCase.class))
                .hasInvocation("decode", 1)
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@RepeatUntilStable on RejectedTemplatesTests$RoundsClassLifetimeTestCase#decode: lifetime = CLASS is"
                                + " rejected. Its invocations need a mesh that no other test uses: let the lifetime be TEST.");
    }

    @Test
    void acceptsTheDefaultLifetime() {
        assertThat(run(DefaultLifetimeTestCase.class)).hasOnlySucceeded(2);
    }

    static class NoLimitTestCase {
        @FailEachAllocation(limit = 0)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class BesideTestTestCase {
        @Test
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class BesideRepeatedTestCase {
        @RepeatedTest(2)
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class BesideComposedTestCase {
        @Both
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RepeatUntilStable
    @FailEachAllocation
    @interface Both {}

    static class NegativeWarmUpTestCase {
        @RepeatUntilStable(warmUp = -1)
        void decode(MeshDevice mesh) {}
    }

    static class NoRoundsTestCase {
        @RepeatUntilStable(atLeast = 0)
        void decode(MeshDevice mesh) {}
    }

    static class TooFewRoundsTestCase {
        @RepeatUntilStable(warmUp = 5, atMost = 6)
        void decode(MeshDevice mesh) {}
    }

    static class EndlessWarmUpTestCase {
        @RepeatUntilStable(warmUp = Integer.MAX_VALUE)
        void decode() {}
    }

    static class ConcurrentTestCase {
        @FailEachAllocation
        @Execution(ExecutionMode.CONCURRENT)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class ClassLifetimeTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class RoundsClassLifetimeTestCase {
        @RepeatUntilStable
        void decode(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.DEFAULT)
    static class DefaultLifetimeTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }
}
