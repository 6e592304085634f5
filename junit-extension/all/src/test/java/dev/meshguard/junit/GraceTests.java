package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.processes.WatchedProcessesSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Frees by other threads within the grace count as in time, and the check waits no longer than that.
 *
 * <p>In the fixtures a free happens while the check sleeps, which is when another thread would free.
 */
class GraceTests {

    @Test
    void whatIsFreedInTimeIsNoLeakAndEndsTheWait() {
        FreesInTimeTestCase.timer = new SteppedTimer();

        assertThat(runWaiting(FreesInTimeTestCase.class)).hasOnlySucceeded(1);

        // It polls after 1, 2, 4, 8, 16 and 32 ms.
        Assertions.assertThat(FreesInTimeTestCase.timer.now()).isEqualTo(Duration.ofMillis(63));
    }

    @Test
    void whatIsFreedTooLateIsALeakThatSaysHowLongWasWaited() {
        assertThat(run(FreesTooLateTestCase.class, Map.of("meshguard.grace", "1500 ms")))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining(
                        "note    waited 1500 ms for frees of other threads; 8 of 16 buffers came back meanwhile\n");
    }

    @Test
    void whoHasNothingLeftIsNotWaitedFor() {
        assertThat(runWaiting(QuietTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void aProgramThatHasEndedIsNotWaitedFor() {
        assertThat(runWaiting(EndedProgramTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void aTestThatIsNotCheckedIsNotWaitedFor() {
        assertThat(runWaiting(UncheckedTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aTestThatFailedIsWaitedFor() {
        assertThat(runWaiting(FailedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "the test itself")
                .withNothingSuppressed();
    }

    @Test
    void aTestOnAMeshThatGoesOnIsWaitedFor() {
        assertThat(runWaiting(SharedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aDynamicTestIsWaitedFor() {
        assertThat(runWaiting(DynamicTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void anInterruptEndsTheWait() {
        assertThat(runWaiting(InterruptedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining(
                        "note    waited 0 s of 2 s for frees of other threads, then the thread was interrupted;"
                                + " none of 8 buffers came back meanwhile\n");
    }

    private static RunAssert.Results runWaiting(Class<?> fixture) {
        return run(fixture, Map.of("meshguard.grace", "2 s"));
    }

    private static MeshGuardExtension guard(GraceTimer timer) {
        return MeshGuardExtension.builder().timer(timer).build();
    }

    static class FreesInTimeTestCase {
        static SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        final MeshGuardExtension guard = guard(timer);

        @Test
        void prefetches(MeshDevice mesh) {
            timer.at(Duration.ofMillis(40), Buffers.take(mesh)::deallocate);
        }
    }

    static class FreesTooLateTestCase {
        private final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        final MeshGuardExtension guard = guard(timer);

        @Test
        void prefetches(MeshDevice mesh) {
            timer.at(Duration.ofMillis(1_400), Buffers.take(mesh)::deallocate);
            timer.at(Duration.ofMillis(1_501), Buffers.take(mesh)::deallocate);
        }
    }

    /** A timer that must not be called. */
    private static final class NoTime implements GraceTimer {
        @Override
        public long nanoTime() {
            throw new AssertionError("the time was read");
        }

        @Override
        public void sleep(Duration duration) {
            throw new AssertionError("the check slept");
        }
    }

    static class QuietTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .timer(new NoTime())
                .expecting(Expectation.because("shared").label("weights"))
                .build();

        @Test
        void freesAll(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void leavesWhatIsExpected(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void leavesProgramsInTheCache(MeshDevice mesh, Ttnn ttnn) {
            Tensor a = ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
            ttnn.deallocate(ttnn.add(a, a));
            ttnn.deallocate(a);
        }
    }

    static class EndedProgramTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(WatchedProcessesSource.create())
                .timer(new NoTime())
                .build();

        @Test
        void leaks(TrackedProcesses processes) throws IOException {
            TrackedProcess program =
                    processes.command("cat").recordSize(RecordSize.BYTES_112).start();
            try (AllocationClient client = AllocationClient.builder()
                    .socket(program.server().socketPath())
                    .recordSize(RecordSize.BYTES_112)
                    .processId((int) program.pid())
                    .connect()) {
                client.allocated(0, BufferType.DRAM, 4_096, 4_096);
            }
        }
    }

    static class UncheckedTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = guard(new NoTime());

        @Test
        @TrackAllocations(check = AllocationCheck.NONE)
        void unchecked(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class FailedTestCase {
        private final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        final MeshGuardExtension guard = guard(timer);

        @Test
        void fails(MeshDevice mesh) {
            timer.at(Duration.ofMillis(40), Buffers.take(mesh)::deallocate);
            throw new IllegalStateException("the test itself");
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedTestCase {
        private static final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        static final MeshGuardExtension guard = guard(timer);

        @Test
        void first(MeshDevice mesh) {
            prefetch(mesh);
        }

        @Test
        void second(MeshDevice mesh) {
            prefetch(mesh);
        }

        private static void prefetch(MeshDevice mesh) {
            MeshBuffer buffer = Buffers.take(mesh);
            timer.at(timer.now().plusMillis(40), buffer::deallocate);
        }
    }

    static class DynamicTestCase {
        private final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        final MeshGuardExtension guard = guard(timer);

        @TestFactory
        Stream<DynamicTest> prefetches(MeshDevice mesh, AllocationTracker tracker) {
            return Stream.of("first", "second")
                    .map(name -> DynamicTest.dynamicTest(name, () -> {
                        Assertions.assertThat(tracker.liveBytes(BufferType.DRAM))
                                .isZero();
                        timer.at(timer.now().plusMillis(40), Buffers.take(mesh)::deallocate);
                    }));
        }
    }

    static class InterruptedTestCase {
        private final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        final MeshGuardExtension guard = guard(timer);

        @Test
        void leaks(MeshDevice mesh) {
            timer.interruptSleep();
            Buffers.take(mesh);
        }
    }
}
