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
                        """);
    }
}
