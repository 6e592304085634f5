package dev.meshguard.junit;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeakingTests implements WithFixtures {

    @TrackAllocations
    static class LeakTestCase {
        /** With the whole verdict. */
        @Test
        @MustFail(verdict = Outcome.LEAKED, frame = "LeakTestCase.decode", message = """
                LEAK  32 KiB in 8 DRAM buffers, LOST; allocated in LeakingTests.java:NN

                1. DRAM  8 x 4 KiB, one on each of devices 0-7
                   at dev.meshguard.junit.LeakingTests$LeakTestCase.decode(LeakingTests.java:NN)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported ({handle traced 1})
                   fix   Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (events #14 to #21)
                         the allocator reported 0x2d4c40 (2968640) as allocated when close began ({witnessed 1})

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     8 allocated = 0 freed + 8 leaked
                expect  @ExpectBuffers(type = DRAM, size = 4096, atMost = 8, origin = "LeakingTests$LeakTestCase.decode", because = "…")
                rerun   mvn test -Dtest='LeakingTests$LeakTestCase#decode'""")
        void decode(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class EmptyTestCase {
        @Test
        void anEmptyTestSucceeds() {}

        @Test
        @FakeMesh(preset = RuntimePreset.MAY_2026)
        void anEmptyTestSucceedsWithThePresetOfMay(MeshDevice mesh) {}

        @Test
        @FakeMesh(preset = RuntimePreset.OCTOBER_2025)
        void anEmptyTestSucceedsWithThePresetOfOctober(MeshDevice mesh) {}

        @Test
        @FakeMesh(architecture = Architecture.BLACKHOLE)
        void anEmptyTestSucceedsWithTheOtherArchitecture(MeshDevice mesh) {}
    }

    /** The frees of devices are not reported. */
    @FakeMesh(defects = RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
    static class MisreportedTestCase {
        @BeforeEach
        void takesAndFrees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(verdict = Outcome.MISREPORTED)
        @TrackAllocations
        void aMissingReportFailsClean() {}

        @Test
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        void aMissingReportDoesNotFailNoLeaks() {}

        @Test
        @MustFail(verdict = Outcome.MISREPORTED)
        @TrackAllocations(check = AllocationCheck.ONLY_EXPECTED_SYSTEM_BUFFERS)
        void aMissingReportFailsOnlyExpectedSystemBuffers() {}
    }
}
