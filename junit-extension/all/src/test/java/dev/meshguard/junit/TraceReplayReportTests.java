package dev.meshguard.junit;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.verdict.Outcome;
import java.util.Map;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A replay that overwrites a buffer fails the test, unless an entry permits it. */
class TraceReplayReportTests {

    @Test
    void namesTheBufferTheTraceAndTheLines() {
        assertThat(runTest(ReplayTestCase.class, "overwritten", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.OVERWRITTEN)
                .withFirstFrameIn(TraceReplayReportTests.class, "staging")
                .withTextContaining(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in TraceReplayReportTests.java:NN")
                .withTextContaining(
                        "why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 4 KiB \"scores\"")
                .withTextContaining("over  at dev.meshguard.junit.TraceReplayReportTests.captured(")
                .withTextContaining("origin = \"TraceReplayReportTests.staging\", overwritten = true, because")
                .withTextContaining("rerun   mvn test -Dtest='TraceReplayReportTests$ReplayTestCase#overwritten'");
    }

    @Test
    void namesTheFreeOfAnInput() {
        assertThat(runTest(ReplayTestCase.class, "withoutCommands", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("OVERWRITTEN  8 KiB in 8 DRAM buffers, freed before a replay; allocated in")
                .withTextContaining("fix   Keep the buffer until the trace is released.");
    }

    @Test
    void permitsWhatAnEntryPermits() {
        assertThat(runTest(ReplayTestCase.class, "permitted", Map.of()))
                .hasSingleTest()
                .whichSucceeded();
    }

    @Test
    void failsForAnEntryThatPermitsNothing() {
        assertThat(runTest(ReplayTestCase.class, "permittedInVain", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("no survivor matches");
    }

    @Test
    void isNoFailureOfACheckForLeaksButIsPublished() {
        assertThat(run(NoLeaksTestCase.class))
                .hasSingleTest()
                .whichSucceededWithPublishedTextContaining("OVERWRITTEN  ");
    }

    @Test
    void failsTheClassForATraceThatNoTestReported() {
        assertThat(run(SharedMeshTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withTextContaining("why   each replay of trace 1 of mesh 0 writes there");
    }

    @TrackAllocations
    static class ReplayTestCase {

        @Test
        void overwritten(MeshDevice mesh) {
            replayOver(mesh);
        }

        @Test
        void withoutCommands(MeshDevice mesh) {
            TraceId trace = captured(mesh);
            mesh.meshTraceBuffer(trace).orElseThrow().deallocate();
            mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
            mesh.releaseMeshTrace(trace);
        }

        @Test
        @ExpectBuffers(label = "staging", exactly = 8, overwritten = true, because = "written before each use")
        void permitted(MeshDevice mesh) {
            replayOver(mesh);
        }

        @Test
        @ExpectBuffers(label = "staging", atLeast = 1, overwritten = true, because = "written before each use")
        void permittedInVain(MeshDevice mesh) {
            staging(mesh).deallocate();
        }
    }

    /** The first test permits what the first trace does; the second one replays another. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class SharedMeshTestCase {

        private static MeshBuffer staging;
        private static TraceId second;

        @Test
        @ExpectBuffers(label = "staging", because = "the next test frees it")
        @ExpectBuffers(label = "staging", overwritten = true, because = "not read in this test")
        void first(MeshDevice mesh) {
            TraceId first = captured(mesh);
            second = captured(mesh);
            staging = staging(mesh);
            mesh.replayMeshTrace(0, first, Blocking.BLOCKING);
            mesh.releaseMeshTrace(first);
        }

        @Test
        void second(MeshDevice mesh) {
            mesh.replayMeshTrace(0, second, Blocking.BLOCKING);
            staging.deallocate();
            mesh.releaseMeshTrace(second);
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class NoLeaksTestCase {

        @Test
        void overwritten(MeshDevice mesh) {
            replayOver(mesh);
        }
    }

    private static void replayOver(MeshDevice mesh) {
        TraceId trace = captured(mesh);
        MeshBuffer staging = staging(mesh);
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
        staging.deallocate();
        mesh.releaseMeshTrace(trace);
    }

    private static TraceId captured(MeshDevice mesh) {
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.allocate(BufferConfig.of(DRAM, 4_096, 2_048).named("scores")).deallocate();
        mesh.endMeshTrace(0, trace, 1_000);
        return trace;
    }

    private static MeshBuffer staging(MeshDevice mesh) {
        return mesh.allocate(BufferConfig.of(DRAM, 2_048, 2_048).named("staging"));
    }
}
