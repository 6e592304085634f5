package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.assertions.LeakSoftAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSettings;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.SoftAssertionsProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/** A leak never hides the failure of the test itself, and is never lost behind it. */
class TestOutcomeTests {

    @Test
    void aFailedTestKeepsItsFailureWithTheLeakSuppressed() {
        assertThat(run(FailedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "the test itself")
                .withSuppressedVerdict(Outcome.LEAKED)
                .withPublishedTextContaining(
                        "note    the test threw IllegalStateException before this check, so what frees"
                                + " memory may not have run\n");
    }

    @Test
    void anErrorOfClosingIsSuppressedInTheLeakThatTheTestAsserted() {
        assertThat(run(AssertedAndUnclosedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withSuppressedText("the device cannot be closed");
    }

    @Test
    void anAbortedTestStaysAbortedWithTheLeakSuppressed() {
        assertThat(run(AbortedTestCase.class))
                .hasSingleTest()
                .whichWasAborted()
                .with(TestAbortedException.class, "no hardware")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    /** Build tools include the output of a test in its report, but no report entries. */
    @ParameterizedTest
    @ValueSource(classes = {OverflowingTestCase.class, UnsuppressingTestCase.class, UnsuppressingDynamicTestCase.class})
    @ResourceLock(Resources.SYSTEM_ERR)
    void aLeakThatTheFailureCannotHoldIsPrinted(Class<?> testClass) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertThat(run(testClass)).hasSingleFailure().whichFailed().withPublishedTextContaining("LEAK  ");
        } finally {
            System.setErr(before);
        }
        Assertions.assertThat(printed.toString(StandardCharsets.UTF_8)).startsWith("LEAK  32 KiB in 8 DRAM buffers");
    }

    @Test
    void anAbortedTestWithoutLeakIsLeftAlone() {
        assertThat(run(AbortedCleanTestCase.class))
                .hasSingleTest()
                .whichWasAborted()
                .withNothingSuppressed();
    }

    @Test
    void aLeakThatTheTestAssertedIsNotReportedAgain() {
        assertThat(run(AssertedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withNothingSuppressed();
    }

    @Test
    void aLeakThatTheTestAssertedSoftlyIsNotReportedAgain() {
        assertThat(run(AssertedSoftlyTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withNothingSuppressed();
    }

    @Test
    void aLeakThatCameAfterTheAssertionIsReported() {
        assertThat(run(AssertedTooEarlyTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withSuppressedVerdict(Outcome.LEAKED)
                .withPublishedTextContaining("note    8 buffers of these were in what the test asserted itself\n");
    }

    @Test
    void aLeakThatWasOnlyUndecidedWhenAssertedIsReported() {
        assertThat(run(AssertedWhileOpenTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.INCONCLUSIVE)
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void aLeakOfAnotherTrackerIsNoExcuse() {
        assertThat(run(AssertedElsewhereTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void aLeakOfAConstructorThatThrowsIsFound() {
        assertThat(run(ThrowingConstructorTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "the constructor")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void aFailedBeforeEachOfAnotherExtensionLeavesOnlyItsOwnFailure() {
        assertThat(run(ThrowingExtensionTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "the other extension")
                .withNothingSuppressed();
    }

    @Test
    void aLeakAfterAFailedAfterEachIsSuppressedInIt() {
        assertThat(run(ThrowingAfterEachTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "afterEach")
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @TrackAllocations
    static class FailedTestCase {
        @Test
        void fails(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the test itself");
        }
    }

    /** The JVM creates such an error without its constructor, so it suppresses nothing. */
    @TrackAllocations
    static class OverflowingTestCase {
        @Test
        void overflows(MeshDevice mesh) {
            Buffers.take(mesh);
            descend(0);
        }

        @SuppressWarnings("InfiniteRecursion")
        private static int descend(int depth) {
            return descend(depth + 1) + 1;
        }
    }

    private static final class UnsuppressingException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private UnsuppressingException() {
            super("the test itself", null, false, true);
        }
    }

    @TrackAllocations
    static class UnsuppressingTestCase {
        @Test
        void fails(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new UnsuppressingException();
        }
    }

    @TrackAllocations
    static class UnsuppressingDynamicTestCase {
        @TestFactory
        DynamicTest fails(MeshDevice mesh) {
            return DynamicTest.dynamicTest("fails", () -> {
                Buffers.take(mesh);
                throw new UnsuppressingException();
            });
        }
    }

    @TrackAllocations
    static class AbortedTestCase {
        @Test
        void aborts(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new TestAbortedException("no hardware");
        }
    }

    @TrackAllocations
    static class AbortedCleanTestCase {
        @Test
        void aborts(MeshDevice mesh) {
            throw new TestAbortedException("no hardware");
        }
    }

    @TrackAllocations
    static class AssertedTestCase {
        @Test
        void asserts(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            LeakAssertions.assertThat(tracker).noLeaks();
        }
    }

    static class AssertedAndUnclosedTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(new FixtureSettings(SourceContext::tracker, () -> {
                    throw new IllegalStateException("the device cannot be closed");
                }))
                .build();

        @Test
        void asserts(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
            LeakAssertions.assertThat(tracker).noLeaks();
        }
    }

    @TrackAllocations
    static class AssertedSoftlyTestCase {
        @Test
        void asserts(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            SoftAssertionsProvider.assertSoftly(LeakSoftAssertions.class, softly -> {
                softly.assertThat(tracker).noLeaks();
                softly.assertThat("one").isEqualTo("other");
            });
        }
    }

    @TrackAllocations
    static class AssertedTooEarlyTestCase {
        @Test
        void asserts(MeshDevice mesh, Ttnn ttnn, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            try {
                LeakAssertions.assertThat(tracker).noLeaks();
            } finally {
                Buffers.take(ttnn.openMeshDevice());
            }
        }
    }

    @TrackAllocations
    static class AssertedWhileOpenTestCase {
        @Test
        void asserts(MeshDevice mesh) {
            Buffers.take(mesh);
            LeakAssertions.assertThat(mesh).noLeaks();
        }
    }

    @TrackAllocations
    static class AssertedElsewhereTestCase {
        @Test
        void asserts(MeshDevice mesh) {
            Buffers.take(mesh);
            AllocationTracker other = AllocationTracker.create();
            MeshDevice closed = Ttnn.create(other).openMeshDevice();
            Buffers.take(closed);
            closed.close();
            LeakAssertions.assertThat(other).noLeaks();
        }
    }

    @TrackAllocations
    static class ThrowingConstructorTestCase {
        ThrowingConstructorTestCase(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the constructor");
        }

        @Test
        void isNeverReached() {}
    }

    static class ThrowingExtension implements BeforeEachCallback {
        @Override
        public void beforeEach(ExtensionContext context) {
            throw new IllegalStateException("the other extension");
        }
    }

    @ExtendWith(ThrowingExtension.class)
    @TrackAllocations
    static class ThrowingExtensionTestCase {
        @BeforeEach
        void isNeverReached(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void isNeverReached() {}
    }

    @TrackAllocations
    static class ThrowingAfterEachTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @AfterEach
        void fails() {
            throw new IllegalStateException("afterEach");
        }
    }
}
