package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.processes.WatchedProcessesSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Frees by other threads within the grace count as in time, and the check waits no longer than that.
 *
 * <p>In the fixtures a free happens while the check sleeps, which is when another thread would free.
 */
class GraceTests implements WithFixtures {

    private static MeshGuardExtension guard(GraceTimer timer) {
        return MeshGuardExtension.builder().timer(timer).build();
    }

    @Configured("meshguard.grace=2 s")
    static class WaitedForTestCase {
        private final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        final MeshGuardExtension guard = guard(timer);

        private void takeAndFreeAfter(long millis, MeshDevice mesh) {
            timer.at(timer.now().plusMillis(millis), Buffers.take(mesh)::deallocate);
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = "note waited 2 s for frees of other threads; 8 of 16 buffers came back meanwhile\n")
        void whatIsFreedTooLateIsALeakThatSaysHowLongWasWaited(MeshDevice mesh) {
            takeAndFreeAfter(1_900, mesh);
            takeAndFreeAfter(2_001, mesh);
        }

        @Test
        @MustFail(error = IllegalStateException.class, message = "the test itself", alone = true)
        void aTestThatFailedIsWaitedFor(MeshDevice mesh) {
            takeAndFreeAfter(40, mesh);
            throw new IllegalStateException("the test itself");
        }

        @Test
        void anInterruptThatTheTestLeavesDoesNotEndTheWait(MeshDevice mesh) {
            takeAndFreeAfter(40, mesh);
            Thread.currentThread().interrupt();
        }

        @TestFactory
        @Runs(2)
        Stream<DynamicTest> aDynamicTestIsWaitedFor(MeshDevice mesh, AllocationTracker tracker) {
            return Stream.of("first", "second")
                    .map(name -> DynamicTest.dynamicTest(name, () -> {
                        Assertions.assertThat(tracker.liveBytes(BufferType.DRAM))
                                .isZero();
                        takeAndFreeAfter(40, mesh);
                    }));
        }
    }

    @Configured("meshguard.grace=2 s")
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedTestCase {
        private static final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        static final MeshGuardExtension guard = guard(timer);

        @RepeatedTest(2)
        void aTestOnAMeshThatGoesOnIsWaitedFor(MeshDevice mesh) {
            timer.at(timer.now().plusMillis(40), Buffers.take(mesh)::deallocate);
        }

        @Test
        void anInterruptThatTheTestLeavesDoesNotEndTheWait(MeshDevice mesh) {
            timer.at(timer.now().plusMillis(40), Buffers.take(mesh)::deallocate);
            Thread.currentThread().interrupt();
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

    @Configured("meshguard.grace=2 s")
    static class QuietTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .timer(new NoTime())
                .expecting(Expectation.because("shared").label("weights"))
                .build();

        @Test
        void aTestThatFreesAllIsNotWaitedFor(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void aTestThatLeavesWhatIsExpectedIsNotWaitedFor(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void programsInTheCacheAreNotWaitedFor(MeshDevice mesh, Ttnn ttnn) {
            Buffers.addAndFree(mesh, ttnn);
        }

        @Test
        @TrackAllocations(check = AllocationCheck.NONE)
        void aTestThatIsNotCheckedIsNotWaitedFor(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @Configured("meshguard.grace=2 s")
    static class EndedProgramTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(WatchedProcessesSource.create())
                .timer(new NoTime())
                .build();

        @MustLeak
        void aProgramThatHasEndedIsNotWaitedFor(TrackedProcesses processes) throws IOException {
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
}
