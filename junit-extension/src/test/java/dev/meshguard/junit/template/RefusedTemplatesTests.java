package dev.meshguard.junit.template;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.MeshLifetime;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What cannot be is refused with its place, itself and what is allowed. */
class RefusedTemplatesTests {

    @Test
    void aLimitThatAllowsNothing() {
        assertRefused(
                NoLimitTestCase.class,
                "@FailEachAllocation on RefusedTemplatesTests$NoLimitTestCase#decode: limit = 0 is refused. Give 1 or more.");
    }

    @Test
    void anotherTestBesideIt() {
        assertRefused(
                BesideTestTestCase.class,
                "@FailEachAllocation on RefusedTemplatesTests$BesideTestTestCase#decode: @Test beside it is refused. It makes"
                        + " a test of the method by itself: leave the other one out.");
    }

    @Test
    void anotherTemplateBesideIt() {
        assertRefused(
                BesideRepeatedTestCase.class,
                "@FailEachAllocation on RefusedTemplatesTests$BesideRepeatedTestCase#decode: @RepeatedTest beside it is"
                        + " refused. It makes a test of the method by itself: leave the other one out.");
    }

    @Test
    void runsAtTheSameTime() {
        assertThat(runConcurrently(ConcurrentTestCase.class))
                .hasTemplate("decode")
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@FailEachAllocation on RefusedTemplatesTests$ConcurrentTestCase#decode: @Execution(CONCURRENT) is"
                                + " refused. Each invocation depends on the one before: leave it out; other tests may still run"
                                + " at the same time.");
    }

    @Test
    void aMeshThatLastsForTheClass() {
        assertThat(run(ClassLifetimeTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@FailEachAllocation on RefusedTemplatesTests$ClassLifetimeTestCase#decode: lifetime = CLASS is"
                                + " refused. Its invocations need a mesh that no other test uses: let the lifetime be TEST.");
    }

    private static void assertRefused(Class<?> testClass, String message) {
        assertThat(run(testClass))
                .hasTemplate("decode")
                .whichFailed()
                .with(ExtensionConfigurationException.class, message);
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

    static class ConcurrentTestCase {
        @FailEachAllocation
        @Execution(ExecutionMode.CONCURRENT)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = MeshLifetime.CLASS)
    static class ClassLifetimeTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }
}
