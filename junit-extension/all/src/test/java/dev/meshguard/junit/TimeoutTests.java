package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Latches;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * A test that exceeds its timeout is responsible for its survivors, and a note names the timeout as a possible reason.
 *
 * <p>A thread that outlives its test gets an error from the closed device. On a mesh that continues, its later
 * allocations still belong to its own test.
 */
class TimeoutTests implements WithFixtures {

    @Test
    void aThreadThatOutlivesItsTestGetsAnErrorFromTheDevice() {
        GivesUp.started = new CountDownLatch(1);
        RunawayCase.goesOn = new CountDownLatch(1);
        RunawayCase.late = new CompletableFuture<>();

        assertThat(run(RunawayCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(TimeoutException.class)
                .withSuppressedVerdict(Outcome.LEAKED);
        RunawayCase.goesOn.countDown();

        Assertions.assertThat(RunawayCase.late.join())
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "SubDeviceManagerTracker is not initialized on MeshDevice 0. This MeshDevice contains only remote"
                                + " devices (so the runtime; in fact mesh 0 was closed: this Ttnn belonged to"
                                + " TimeoutTests$RunawayCase#runsAway, which is over and was checked. Ask for a Ttnn where you use"
                                + " it.)");
    }

    @Test
    void whatItTakesLateOnAMeshThatGoesOnIsItsOwn() {
        GivesUp.started = new CountDownLatch(1);
        SharedRunawayCase.goesOn = new CountDownLatch(1);
        SharedRunawayCase.late = new CompletableFuture<>();

        RunAssert.Results results = run(SharedRunawayCase.class);

        assertThat(results).hasTest("runsAway").whichFailed().with(TimeoutException.class);
        assertThat(results).hasTest("runsNext").whichSucceededSilently();
        assertThat(results)
                .hasFailedContainer()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining(
                        "note    TimeoutTests$SharedRunawayCase#runsAway allocated 8 buffers of these after it"
                                + " was over\n");
    }

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
        static CountDownLatch started;

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
            started.await();
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

    @ExtendWith(GivesUp.class)
    @TrackAllocations
    static class RunawayCase {
        static CountDownLatch goesOn;
        static CompletableFuture<Throwable> late;

        /** Allocated before the timeout runs: the start of the other thread depends on the machine's load. */
        @BeforeEach
        void leak(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void runsAway(MeshDevice mesh) {
            GivesUp.started.countDown();
            Latches.await(goesOn);
            late.complete(Assertions.catchThrowable(() -> Buffers.take(mesh)));
        }
    }

    @ExtendWith(GivesUp.class)
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class SharedRunawayCase {
        static CountDownLatch goesOn;
        static CompletableFuture<Optional<Throwable>> late;

        @BeforeEach
        void takeAndFree(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @Order(1)
        void runsAway(MeshDevice mesh) {
            GivesUp.started.countDown();
            Latches.await(goesOn);
            late.complete(Optional.ofNullable(Assertions.catchThrowable(() -> Buffers.take(mesh))));
        }

        @Test
        @Order(2)
        void runsNext(AllocationTracker tracker) {
            goesOn.countDown();
            Assertions.assertThat(late.join()).isEmpty();
            Assertions.assertThat(tracker.liveBuffers()).isEqualTo(8);
        }
    }
}
