package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/**
 * If JUnit detects extensions, every test may declare a mesh parameter and is checked, annotated or not.
 *
 * <p>The build enables detection with {@code junit.jupiter.extensions.autodetection.enabled}. Annotations apply as
 * usual, and nothing is checked twice.
 */
class AutoDetectionTests {

    private static final Map<String, String> DETECTED =
            Map.of("junit.jupiter.extensions.autodetection.enabled", "true");

    @Test
    void aTestWithoutAnyAnnotationIsChecked() {
        assertThat(run(PlainTestCase.class, DETECTED))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withNothingSuppressed();
    }

    @Test
    void withoutDetectionItIsNot() {
        assertThat(run(PlainTestCase.class)).hasSingleTest().whichFailed().with(ParameterResolutionException.class);
    }

    @Test
    void anAnnotationCountsAndChecksOnce() {
        assertThat(run(AnnotatedTestCase.class, DETECTED))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withNothingSuppressed();
    }

    @Test
    void aTestThatAsksForNothingIsLeftAlone() {
        assertThat(run(UnconcernedTestCase.class, DETECTED)).hasOnlySucceeded(1);
    }

    static class PlainTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class AnnotatedTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 1);
            Buffers.take(mesh);
        }
    }

    static class UnconcernedTestCase {
        @Test
        void asksForNothing() {}
    }
}
