package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.LeakSoftAssertions;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import org.assertj.core.api.junit.jupiter.InjectSoftAssertions;
import org.assertj.core.api.junit.jupiter.SoftAssertionsExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * AssertJ's soft assertions and the check at the end together report every finding once.
 *
 * <p>AssertJ's own extension injects and collects MeshGuard's soft assertions. It reports after the test method, so
 * before the check. An asserted leak is not reported again, and another one is suppressed in that error, in either
 * order of the extensions.
 */
class SoftAssertionsTests {

    @Test
    void oursJoinTheCollector() {
        assertThat(run(JoiningTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("Multiple Failures (2 failures)")
                .withNothingSuppressed();
    }

    @Test
    void aLeakIsSuppressedInWhatTheyReportWhereTheyComeFirst() {
        assertThat(run(FirstTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("expected: \"other\"")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void aLeakIsSuppressedInWhatTheyReportWhereTheyComeLater() {
        assertThat(run(LaterTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("expected: \"other\"")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @TrackAllocations
    @ExtendWith(SoftAssertionsExtension.class)
    static class JoiningTestCase {
        @InjectSoftAssertions
        private LeakSoftAssertions softly;

        @Test
        void asserts(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            softly.assertThat(tracker).noLeaks();
            softly.assertThat("one").isEqualTo("other");
        }
    }

    abstract static class LeakingTestCase {
        @InjectSoftAssertions
        private LeakSoftAssertions softly;

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
            softly.assertThat("one").isEqualTo("other");
        }
    }

    @ExtendWith(SoftAssertionsExtension.class)
    @TrackAllocations
    static class FirstTestCase extends LeakingTestCase {}

    @TrackAllocations
    @ExtendWith(SoftAssertionsExtension.class)
    static class LaterTestCase extends LeakingTestCase {}
}
