package dev.meshguard.junit.processes;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.RunAssert.Failure;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.MultipleFailuresError;

/** The survivors of its programs fail a test of other processes, each reported separately. */
class WatchedProcessesTests implements WithFixtures {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    @Test
    void whatAProgramLeavesFailsItsTest() {
        Failure failure =
                assertThat(run(LeakCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);

        Assertions.assertThat(text(failure))
                .startsWith("LEAK  4 KiB in 1 DRAM buffer of process N was never freed\n")
                .contains("\nnote    process N (cat) exited with status 0\n")
                .endsWith("\nrerun   mvn test -Dtest='WatchedProcessesTests$LeakCase#decodes'");
    }

    @Test
    void aFindingOfAProgramNamesItsTestAndSource(@TempDir Path folder) {
        run(LeakCase.class, Map.of("meshguard.findings", folder.toString()));

        Assertions.assertThat(folder)
                .isDirectoryContaining(file -> Assertions.contentOf(file.toFile())
                        .contains("\"test\":\"" + LeakCase.class.getName()
                                + "#decodes\",\"subject\":\"PROCESS\",\"source\":\"processes\",\"result\":\"FAILED\""));
    }

    @TrackAllocations
    @WatchedProcesses
    static class ProgramsTestCase {
        @Test
        void aProgramThatFreesAllPasses(TrackedProcesses processes) throws Exception {
            oneBuffer(processes, true);
        }

        @Test
        @MustFail(
                verdict = Outcome.INCONCLUSIVE,
                text = {"(true) exited with status 0", "server.sock. Does its runtime have the tracking built in,"})
        void aProgramThatNeverConnectsProvesNothing(TrackedProcesses processes) throws Exception {
            processes.start("true").await(TIMEOUT);
        }

        @Test
        @MustFail(
                error = MultipleFailuresError.class,
                text = {"UNEXPLAINED", "INCONCLUSIVE"})
        void reportsEachOfSeveralProgramsSeparately(TrackedProcesses processes) throws Exception {
            oneBuffer(processes, false);
            processes.start("true").await(TIMEOUT);
        }

        @Test
        @ExpectBuffers(exactly = 1, because = "kept")
        void whatAMethodPromisesOneOfItsProgramsHasToLeave(TrackedProcesses processes) throws Exception {
            oneBuffer(processes, false);
            oneBuffer(processes, true);
        }

        @Test
        @MustFail(text = "1. no survivor matches in any of 2 checks: exactly 1 buffer, because \"kept\"")
        @ExpectBuffers(exactly = 1, because = "kept")
        void aPromiseThatNoProgramKeepsFailsTheTest(TrackedProcesses processes) throws Exception {
            oneBuffer(processes, true);
            oneBuffer(processes, true);
        }

        @Test
        @MustFail(
                error = BudgetAssertionError.class,
                text = "peak 4 KiB (4096 B), 96 B over the budget of 3.91 KiB (4000 B)")
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_000)
        void aBudgetLimitsTheMemoryOfEachProgram(TrackedProcesses processes) throws Exception {
            oneBuffer(processes, true);
        }

        @MustLeak
        void terminatesARunningProgramAndReportsItsLeak(TrackedProcesses processes) throws Exception {
            report(reading(processes), false);
        }

        /** A program whose folder cannot be deleted must not hide the leaks of any. */
        @Test
        @MustFail(text = {"UNEXPLAINED", " cannot be deleted: "})
        void aProgramThatCannotBeClosedIsCheckedNevertheless(TrackedProcesses processes) throws Exception {
            TrackedProcess program = reading(processes);
            // The folder of the socket cannot be deleted.
            Files.createFile(program.server().socketPath().resolveSibling("core"));
            report(program, false);
            program.input().close();
            program.await(TIMEOUT);
        }

        @MustLeak
        void theServerOfATestIsJudgedLikeAMesh(AllocationServer server) {
            try (AllocationClient client = AllocationClient.connect(server.socketPath(), RecordSize.BYTES_112)) {
                client.allocated(0, BufferType.DRAM, 4_096, 4_096);
                client.allocated(0, BufferType.DRAM, 8_192, 4_096);
                client.freed(0, 8_192);
            }
        }

        @Test
        @MustFail(
                text =
                        "WatchedProcessesTests$ProgramsTestCase#rejectsAMeshParameter: a MeshDevice with @WatchedProcesses is"
                                + " rejected. Annotate the test with @FakeMesh, or give its source to MeshGuardExtension.")
        void rejectsAMeshParameter(MeshDevice mesh) {}
    }

    static class LeakCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(WatchedProcessesSource.create())
                .build();

        @Test
        void decodes(TrackedProcesses processes) throws Exception {
            oneBuffer(processes, false);
        }
    }

    /** Runs a program that allocates one buffer. */
    private static void oneBuffer(TrackedProcesses processes, boolean isFreed) throws Exception {
        TrackedProcess program = reading(processes);
        report(program, isFreed);
        program.input().close();
        program.await(TIMEOUT);
    }

    /** Reports one buffer like the program. */
    private static void report(TrackedProcess program, boolean isFreed) {
        try (AllocationClient client = AllocationClient.builder()
                .socket(program.server().socketPath())
                .recordSize(RecordSize.BYTES_112)
                .processId((int) program.pid())
                .connect()) {
            client.allocated(0, BufferType.DRAM, 4_096, 4_096);
            if (isFreed) {
                client.freed(0, 4_096);
            }
        }
    }

    private static String text(Failure failure) {
        return failure.text().replaceAll("process \\d+", "process N");
    }

    /** Starts a program that runs until its input ends. */
    private static TrackedProcess reading(TrackedProcesses processes) throws IOException {
        return processes.command("cat").recordSize(RecordSize.BYTES_112).start();
    }
}
