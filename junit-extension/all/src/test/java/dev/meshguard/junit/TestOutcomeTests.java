package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.when;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.assertions.LeakSoftAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.Latches;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.SoftAssertionsProvider;
import org.assertj.core.api.junit.jupiter.InjectSoftAssertions;
import org.assertj.core.api.junit.jupiter.SoftAssertionsExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mock;
import org.mockito.exceptions.misusing.UnnecessaryStubbingException;
import org.mockito.junit.jupiter.MockitoExtension;
import org.opentest4j.TestAbortedException;

/**
 * A leak never hides the failure of the test itself, and is never lost behind it.
 *
 * <p>AssertJ's own extension injects and collects MeshGuard's soft assertions. It reports after the test method, so
 * before the check. An asserted leak is not reported again, and another one is suppressed in that error. If another
 * extension resolves a parameter of a MeshGuard type, use a field: a parameter can have only one resolver.
 */
class TestOutcomeTests implements WithFixtures {

    @TrackAllocations
    static class OutcomeTestCase {

        @Test
        @MustFail(
                error = IllegalStateException.class,
                message = "the test itself",
                suppressed = Outcome.LEAKED,
                published =
                        "note    the test threw IllegalStateException before this check, so what frees memory may not have run\n")
        void aFailedTestKeepsItsFailureWithTheLeakSuppressed(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the test itself");
        }

        @Test
        @MustFail(
                aborted = true,
                error = TestAbortedException.class,
                message = "no hardware",
                suppressed = Outcome.LEAKED)
        void anAbortedTestStaysAbortedWithTheLeakSuppressed(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new TestAbortedException("no hardware");
        }

        @Test
        @MustFail(aborted = true, alone = true)
        void anAbortedTestWithoutLeakIsLeftAlone(MeshDevice mesh) {
            throw new TestAbortedException("no hardware");
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, alone = true)
        void aLeakThatTheTestAssertedIsNotReportedAgain(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            LeakAssertions.assertThat(tracker).noLeaks();
        }

        @Test
        @MustFail(alone = true)
        void aLeakThatTheTestAssertedSoftlyIsNotReportedAgain(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            SoftAssertionsProvider.assertSoftly(LeakSoftAssertions.class, softly -> {
                softly.assertThat(tracker).noLeaks();
                softly.assertThat("one").isEqualTo("other");
            });
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                suppressed = Outcome.LEAKED,
                published = "note    8 buffers of these were in what the test asserted itself\n")
        void aLeakThatCameAfterTheAssertionIsReported(MeshDevice mesh, Ttnn ttnn, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            try {
                LeakAssertions.assertThat(tracker).noLeaks();
            } finally {
                Buffers.take(ttnn.openMeshDevice());
            }
        }

        @Test
        @MustFail(verdict = Outcome.INCONCLUSIVE, suppressed = Outcome.LEAKED)
        void aLeakThatWasOnlyUndecidedWhenAssertedIsReported(MeshDevice mesh) {
            Buffers.take(mesh);
            LeakAssertions.assertThat(mesh).noLeaks();
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, suppressed = Outcome.LEAKED)
        void aLeakOfAnotherTrackerIsNoExcuse(MeshDevice mesh) {
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
        @MustFail(error = IllegalStateException.class, message = "the constructor", suppressed = Outcome.LEAKED)
        void aLeakOfAConstructorThatThrowsIsFound() {}
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
        @MustFail(error = IllegalStateException.class, message = "the other extension", alone = true)
        void aFailedBeforeEachOfAnotherExtensionLeavesOnlyItsOwnFailure() {}
    }

    @TrackAllocations
    static class ThrowingAfterEachTestCase {
        @Test
        @MustFail(error = IllegalStateException.class, message = "afterEach", suppressed = Outcome.LEAKED)
        void aLeakAfterAFailedAfterEachIsSuppressedInIt(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @AfterEach
        void fails() {
            throw new IllegalStateException("afterEach");
        }
    }

    static class AssertedAndUnclosedTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FixtureSource.settings(SourceContext::tracker, () -> {
                    throw new IllegalStateException("the device cannot be closed");
                }))
                .build();

        @Test
        @MustFail(verdict = Outcome.LEAKED, note = "the device cannot be closed")
        void anErrorOfClosingIsSuppressedInTheLeakThatTheTestAsserted(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
            LeakAssertions.assertThat(tracker).noLeaks();
        }
    }

    /** Build tools include the output of a test in its report, but no report entries. */
    @ParameterizedTest
    @ValueSource(strings = {"overflows", "overflowsInADynamicTest"})
    @ResourceLock(Resources.SYSTEM_ERR)
    void aLeakThatTheFailureCannotHoldIsPrinted(String test) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertThat(runTest(UnsuppressingCase.class, test, Map.of()))
                    .hasFailureOf(test)
                    .withPublishedTextContaining("LEAK  ");
        } finally {
            System.setErr(before);
        }
        Assertions.assertThat(printed.toString(StandardCharsets.UTF_8)).startsWith("LEAK  32 KiB in 8 DRAM buffers");
    }

    @TrackAllocations
    static class UnsuppressingCase {

        /** The JVM creates such an error without its constructor, so it suppresses nothing. */
        @Test
        void overflows(MeshDevice mesh) {
            Buffers.take(mesh);
            descend(0);
        }

        @SuppressWarnings("InfiniteRecursion")
        private static int descend(int depth) {
            return descend(depth + 1) + 1;
        }

        @TestFactory
        DynamicTest overflowsInADynamicTest(MeshDevice mesh) {
            return DynamicTest.dynamicTest("fails", () -> overflows(mesh));
        }
    }

    // Other extensions of a test: every finding is reported once, in either order

    abstract static class Leaking {
        @InjectSoftAssertions
        private LeakSoftAssertions softly;

        @Test
        @MustFail(text = "Multiple Failures (2 failures)", alone = true)
        void leaksJoinTheCollectorOfSoftAssertions(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            softly.assertThat(tracker).noLeaks();
            softly.assertThat("one").isEqualTo("other");
        }

        @Test
        @MustFail(text = "expected: \"other\"", suppressed = Outcome.LEAKED)
        void aLeakIsSuppressedInWhatSoftAssertionsReport(MeshDevice mesh) {
            Buffers.take(mesh);
            softly.assertThat("one").isEqualTo("other");
        }
    }

    @ExtendWith(SoftAssertionsExtension.class)
    @TrackAllocations
    static class AssertJFirstTestCase extends Leaking {}

    @TrackAllocations
    @ExtendWith(SoftAssertionsExtension.class)
    static class AssertJLaterTestCase extends Leaking {}

    abstract static class Stubbing {
        @Mock
        @SuppressWarnings("MockNotUsedInProduction") // This is the reported error.
        private Supplier<String> supplier;

        @Test
        @MustFail(error = UnnecessaryStubbingException.class, suppressed = Outcome.LEAKED)
        void aLeakIsSuppressedInWhatStrictStubsReport(MeshDevice mesh) {
            when(supplier.get()).thenReturn("never asked for");
            Buffers.take(mesh);
        }
    }

    @ExtendWith(MockitoExtension.class)
    @TrackAllocations
    static class MockitoFirstTestCase extends Stubbing {}

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class MockitoLaterTestCase extends Stubbing {}

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class MocksTestCase {
        @Mock
        private MeshDevice mock;

        @Test
        @MustFail(error = ParameterResolutionException.class, text = "Discovered multiple competing ParameterResolvers")
        @SuppressWarnings("MockNotUsedInProduction") // The test fails before the mock is injected.
        void twoResolversOfOneParameterFailTheTest(@Mock MeshDevice mesh) {}

        @Test
        void aFieldHoldsTheMockAndAParameterTheMesh(MeshDevice mesh) {
            Assertions.assertThat(mockingDetails(mock).isMock()).isTrue();
            Assertions.assertThat(mockingDetails(mesh).isMock()).isFalse();
        }
    }

    // A test that exceeds its timeout, and a thread that outlives its test

    @TrackAllocations
    static class InterruptedTestCase {
        @Test
        @Timeout(value = 100, unit = TimeUnit.MILLISECONDS)
        @MustFail(
                error = TimeoutException.class,
                suppressed = Outcome.LEAKED,
                published =
                        "note    the test ran into its timeout before this check, so what frees memory may not have run\n")
        void aLeakAfterATimeoutSaysSo(MeshDevice mesh) throws InterruptedException {
            Buffers.take(mesh);
            new CountDownLatch(1).await();
        }
    }

    /**
     * Does the same as {@link Timeout} on a separate thread, but only once the test runs there: a timeout that passes
     * before the thread has started would be another case.
     */
    static class GivesUp implements InvocationInterceptor {
        @Override
        public void interceptTestMethod(
                Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
                throws Throwable {
            if (!test.getExecutable().getName().equals("runsAway")) {
                invocation.proceed();
                return;
            }
            Thread thread = new Thread(() -> proceed(invocation), "runs away");
            thread.setDaemon(true);
            thread.start();
            ((RunsAway) context.getRequiredTestInstance()).started.await();
            thread.interrupt();
            throw new TimeoutException("runsAway(MeshDevice) timed out after 2 seconds");
        }

        private static void proceed(Invocation<Void> invocation) {
            try {
                invocation.proceed();
            } catch (Throwable unexpected) {
                throw new AssertionError("The test keeps its errors itself", unexpected);
            }
        }
    }

    /** Each run has its own instance, which outlives the test that gives up. */
    @ExtendWith(GivesUp.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class RunsAway {
        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private final CompletableFuture<Optional<Throwable>> late = new CompletableFuture<>();

        /** Allocates on the mesh once another thread asks for what that throws. */
        final void takeLate(MeshDevice mesh) {
            started.countDown();
            Latches.await(goesOn);
            late.complete(Optional.ofNullable(Assertions.catchThrowable(() -> Buffers.take(mesh))));
        }

        /** Lets the thread that runs away go on, and returns what allocating throws there. */
        final Optional<Throwable> late() {
            goesOn.countDown();
            return late.join();
        }
    }

    @TrackAllocations
    static class RunawayTestCase extends RunsAway {
        /** Allocated before the timeout runs: the start of the other thread depends on the machine's load. */
        @BeforeEach
        void leak(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @MustFail(error = TimeoutException.class, suppressed = Outcome.LEAKED)
        void runsAway(MeshDevice mesh) {
            takeLate(mesh);
        }

        @AfterAll
        void aThreadThatOutlivesItsTestGetsAnErrorFromTheDevice() {
            Assertions.assertThat(late().orElseThrow())
                    .isInstanceOf(MeshRuntimeException.class)
                    .hasMessage(
                            "SubDeviceManagerTracker is not initialized on MeshDevice 0. This MeshDevice contains only remote"
                                    + " devices (so the runtime; in fact mesh 0 was closed: this Ttnn belonged to"
                                    + " TestOutcomeTests$RunawayTestCase#runsAway, which is over and was checked. Ask for a Ttnn where"
                                    + " you use it.)");
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    @MustFail(
            verdict = Outcome.LEAKED,
            text =
                    "note    TestOutcomeTests$RunawayOnSharedMeshTestCase#runsAway allocated 8 buffers of these after it was over\n")
    static class RunawayOnSharedMeshTestCase extends RunsAway {
        @Test
        @MustFail(error = TimeoutException.class, alone = true)
        void runsAway(MeshDevice mesh) {
            takeLate(mesh);
        }

        @Test
        void runsNextAndIsNotBlamedForWhatTheOtherTakesLate(AllocationTracker tracker) {
            Assertions.assertThat(late()).isEmpty();
            Assertions.assertThat(tracker.liveBuffers()).isEqualTo(8);
        }
    }
}
