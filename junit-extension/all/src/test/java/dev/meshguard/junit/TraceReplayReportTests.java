package dev.meshguard.junit;

import static dev.meshguard.event.BufferType.DRAM;

import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Publishes;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A replay that overwrites a buffer fails the test, unless an entry permits it. */
class TraceReplayReportTests implements WithFixtures {

    @TrackAllocations
    static class ReplayTestCase {

        @Test
        @MustFail(
                verdict = Outcome.OVERWRITTEN,
                frame = "TraceReplayReportTests.staging",
                text = {
                    "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in TraceReplayReportTests.java:NN",
                    "why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 4 KiB \"scores\"",
                    "over  at dev.meshguard.junit.TraceReplayReportTests.captured(",
                    "origin = \"TraceReplayReportTests.staging\", overwritten = true, because",
                    "rerun   mvn test -Dtest='TraceReplayReportTests$ReplayTestCase#namesTheBufferTheTraceAndTheLines'"
                })
        void namesTheBufferTheTraceAndTheLines(MeshDevice mesh) {
            replayOver(mesh);
        }

        @Test
        @ExpectBuffers(label = "staging", exactly = 8, overwritten = true, because = "written before each use")
        void permitsWhatAnEntryPermits(MeshDevice mesh) {
            replayOver(mesh);
        }

        @Test
        @ExpectBuffers(label = "staging", atLeast = 1, overwritten = true, because = "written before each use")
        @MustFail(text = "no survivor matches")
        void failsForAnEntryThatPermitsNothing(MeshDevice mesh) {
            staging(mesh).deallocate();
        }
    }

    /** The first test permits what the first trace does; the second one replays another. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    @MustFail(text = "why   each replay of trace 1 of mesh 0 writes there")
    static class SharedMeshTestCase {

        private static MeshBuffer staging;
        private static TraceId second;

        @Test
        @ExpectBuffers(label = "staging", because = "the next test frees it")
        @ExpectBuffers(label = "staging", overwritten = true, because = "not read in this test")
        void allowsWhatItReports(MeshDevice mesh) {
            TraceId first = captured(mesh);
            second = captured(mesh);
            staging = staging(mesh);
            mesh.replayMeshTrace(0, first, Blocking.BLOCKING);
            mesh.releaseMeshTrace(first);
        }

        @Test
        void failsTheClassForATraceThatNoTestReported(MeshDevice mesh) {
            mesh.replayMeshTrace(0, second, Blocking.BLOCKING);
            staging.deallocate();
            mesh.releaseMeshTrace(second);
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class NoLeaksTestCase {

        @Test
        @Publishes("OVERWRITTEN  ")
        void isNoFailureOfACheckForLeaksButIsPublished(MeshDevice mesh) {
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
