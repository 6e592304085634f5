package dev.meshguard.samples.seeds;

import static dev.meshguard.mesh.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.MeshShape;
import dev.meshguard.mesh.RuntimePreset;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Phase;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import org.junit.jupiter.api.Test;

/**
 * The five open questions at the end of seed 000, answered by the verdict.
 *
 * <ol>
 *   <li>Are these buffers allocated during {@code open_mesh_device()}? No: in TEST, by add and matmul.
 *   <li>Do they have a corresponding deallocation in {@code close_mesh_device()}? No: CLOSE gives back nothing; they go
 *       with their programs, which ended when the cache was cleared.
 *   <li>Why only device 0 and not devices 1 to 7? This source reports circular buffers of the whole mesh under it.
 *   <li>Are they tracked in {@code allocator->allocated_buffers_}? No: they lie outside the allocator.
 *   <li>Should they be freed in {@code Allocator::deallocate_buffers()}? No, for the same reason: only the report of
 *       their programs' end is missing.
 * </ol>
 */
class ThreeL1BuffersTests {

    @Test
    void areCircularBuffersWhoseProgramsEndedUnreported() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)
                .build();
        MeshAllocation test = new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4)));

        try (Scope body = tracker.phase(Phase.TEST)) {
            test.run();
        }

        assertThat(VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                        .text())
                .isEqualTo("""
                MISREPORTED  all memory was given back, but the books are wrong: 3 buffers, 12 KiB (12288 B), still in them      [67 allocated = 64 freed + 3 misreported]
                1. L1 4 KiB (4096 B) x 3   devices ●○○○○○○○   CIRCULAR_BUFFER_UNREPORTED: program 1 (add) ended at event #174, program 2 (matmul) ended at event #183, and nobody reported that it is gone
                   -> at dev.meshguard.samples.support.MeshAllocation.add(MeshAllocation.java:44)
                   circular buffers lie outside the allocator, so closing the device cannot free it (the allocator held nothing there at event #187)
                   it shows on device 0 only because this source reports circular buffers of the whole mesh under that device
                   allocated in TEST (events #37 to #39) at 0x18b20 (101152), 0x19b20 (105248), 0x1ab20 (109344), unlabelled, owned by program 1 (add), program 2 (matmul)

                Tracked  in all                                left
                DRAM     64 buffers, 112.28 MiB (117735424 B)  nothing
                L1       3 buffers, 12 KiB (12288 B)           3 buffers, 12 KiB (12288 B)
                Teardown     gave back                         left
                TEST         DRAM 14 MiB on each of 8 devices  DRAM 36 KiB on each of 8 devices, L1 12 KiB on device 0
                CACHE_CLEAR  DRAM 36 KiB on each of 8 devices  L1 12 KiB on device 0
                CLOSE        nothing                           L1 12 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  112.29 MiB -> 300 KiB
                CACHE_CLEAR  |#                             |  300 KiB -> 12 KiB
                CLOSE        |#                             |  12 KiB -> 12 KiB

                CIRCULAR_BUFFER_UNREPORTED: Report the end of a program's circular buffers when the program ends; they take no allocator memory.
                Where a buffer may stay, expect it (narrowest first):
                   @ExpectBuffers(type = L1, device = 0, size = 4096, count = 3, origin = "MeshAllocation.add", because = "…")""");
    }
}
