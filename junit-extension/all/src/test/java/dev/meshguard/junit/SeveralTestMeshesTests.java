package dev.meshguard.junit;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests with a device binding of their own that opens a mesh and a submesh of it. */
class SeveralTestMeshesTests implements WithFixtures {

    @TrackAllocations
    static class MeshesTestCase {
        @Test
        void memoryThatOneMeshHeldAfterTheOtherFailsNothing(AllocationTracker tracker) {
            Binding.open(tracker);
            Binding.allocate(tracker, 0);
            Binding.free(tracker, 0);
            Binding.allocate(tracker, 1);
            Binding.free(tracker, 1);
            Binding.close(tracker);
        }

        @Test
        @MustFail(
                text = {
                    "OVERLAP  two meshes held the same memory at a time",
                    "at dev.meshguard.junit.SeveralTestMeshesTests$Binding.allocate(",
                    "rerun mvn test -Dtest='SeveralTestMeshesTests$MeshesTestCase#memoryThatTwoMeshesHeldFailsTheTest'"
                })
        void memoryThatTwoMeshesHeldFailsTheTest(AllocationTracker tracker) {
            Binding.holdAtATime(tracker);
        }

        @Test
        @TrackAllocations(check = AllocationCheck.NONE)
        void memoryOfAnUncheckedTestFailsNothing(AllocationTracker tracker) {
            Binding.holdAtATime(tracker);
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {", allocated by mesh 1 (1x1 submesh of mesh 0)\n", "sum  2 allocated = 1 freed + 1 leaked\n"})
        void aLeakOfTheSubmeshFailsTheTestThoughTheMeshFreedThatAddress(AllocationTracker tracker) {
            Binding.open(tracker);
            Binding.allocate(tracker, 0);
            Binding.allocate(tracker, 1);
            Binding.free(tracker, 0);
            Binding.close(tracker);
        }
    }

    /** A mesh and a submesh over one device, each with an allocator whose first address is 0x1000. */
    private static final class Binding {

        static void holdAtATime(AllocationTracker tracker) {
            open(tracker);
            allocate(tracker, 0);
            allocate(tracker, 1);
            free(tracker, 0);
            free(tracker, 1);
            close(tracker);
        }

        static void open(AllocationTracker tracker) {
            tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
            tracker.deviceOpened(0);
            tracker.meshOpened(MeshDescription.of(1, "1x1 submesh", List.of(0)).withParent(0));
        }

        static void allocate(AllocationTracker tracker, int mesh) {
            MemoryRequest request = tracker.request(AllocationDetails.user().onMesh(mesh));
            tracker.allocated(request, 0, BufferType.DRAM, 4_096, 4_096, Ownership.NON_OWNING);
        }

        static void free(AllocationTracker tracker, int mesh) {
            tracker.freed(
                    tracker.release(AllocationDetails.user().onMesh(mesh)),
                    0,
                    BufferType.DRAM,
                    4_096,
                    Ownership.NON_OWNING);
        }

        static void close(AllocationTracker tracker) {
            tracker.meshClosed(1);
            tracker.deviceClosed(0);
            tracker.meshClosed(0);
        }
    }
}
