package dev.meshguard.junit;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.TestTrackers;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.tracker.AllocationTracker;
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
                .withText(TestTrackers.keptHistory(), """
                        OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in TraceReplayReportTests.java:NN

                        1. DRAM  8 x 2 KiB on devices 0-7, label "staging", allocated at 0x2d4c40 (2968640), events #41 to #48
                           at dev.meshguard.junit.TraceReplayReportTests.staging(TraceReplayReportTests.java:NN)
                           why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 4 KiB "scores", freed at event
                                 #23; the two share 2 KiB of each bank
                           over  at dev.meshguard.junit.TraceReplayReportTests.captured(TraceReplayReportTests.java:NN)
                           fix   Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before
                                 it is allocated.
                           seen  first at event #49, in 2 replays

                        note    8 buffers were allocated while a trace was live, where the runtime warns once per thread; first at event #41
                        note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                        sum     24 allocated = 24 freed
                        expect  @ExpectBuffers(type = DRAM, size = 2048, atMost = 8, label = "staging", origin = "TraceReplayReportTests.staging", overwritten = true, because = "…")
                        rerun   mvn test -Dtest='TraceReplayReportTests$ReplayTestCase#overwritten'""");
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
    void leadsToTheLineThatAllocatedTheBuffer() {
        assertThat(runTest(ReplayTestCase.class, "overwritten", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withFirstFrameIn(TraceReplayReportTests.class, "staging");
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
        void overwritten(MeshDevice mesh, AllocationTracker tracker) {
            TestTrackers.keep(tracker);
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
        mesh.allocate(MeshBufferConfig.replicated(
                        BufferConfig.of(DRAM, 4_096, 2_048).named("scores")))
                .deallocate();
        mesh.endMeshTrace(0, trace, 1_000);
        return trace;
    }

    private static MeshBuffer staging(MeshDevice mesh) {
        return mesh.allocate(
                MeshBufferConfig.replicated(BufferConfig.of(DRAM, 2_048, 2_048).named("staging")));
    }
}
