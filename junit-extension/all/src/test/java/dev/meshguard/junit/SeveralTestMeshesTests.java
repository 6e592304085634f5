package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.junit.testkit.TestTrackers;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests with a device binding of their own that opens a mesh and a submesh of it. */
class SeveralTestMeshesTests {

    @Test
    void aTestWhoseMeshesFreedEverythingSucceedsSilently() {
        assertThat(run(OneAfterTheOtherTestCase.class)).hasSingleTest().whichSucceeded();
        assertThat(run(OneAfterTheOtherTestCase.class)).hasSingleTest().withoutPublishedText();
    }

    @Test
    void memoryThatTwoMeshesHeldFailsTheTest() {
        assertThat(run(AtATimeTestCase.class)).hasSingleTest().whichFailed().withText(TestTrackers.keptHistory(), """
                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 1 buffer

                   fix   Free what one mesh holds on a device before another mesh over it allocates memory, or use one mesh only: each
                         has an allocator of its own that knows nothing of the others'.
                1. DRAM  4 KiB on device 0, allocated by mesh 1 (1x1 submesh of mesh 0) at 0x1000 (4096), {allocated 2}
                   at dev.meshguard.junit.SeveralTestMeshesTests$Binding.allocate(SeveralTestMeshesTests.java:NN)
                   why   it lies over 4 KiB at 0x1000 (4096), allocated by mesh 0 (1x1 mesh), {allocated 1}, freed by {freed 1}
                   over  at dev.meshguard.junit.SeveralTestMeshesTests$Binding.allocate(SeveralTestMeshesTests.java:NN)

                sum     2 allocated = 2 freed
                expect  @ExpectBuffers(type = DRAM, size = 4096, atMost = 1, origin = "SeveralTestMeshesTests$Binding.allocate", overwritten = true, because = "…")
                rerun   mvn test -Dtest='SeveralTestMeshesTests$AtATimeTestCase#test'""");
    }

    @Test
    void publishesNothingForAnUncheckedTest() {
        assertThat(run(UncheckedTestCase.class)).hasSingleTest().withoutPublishedText();
    }

    @Test
    void aLeakOfTheSubmeshFailsTheTestThoughTheMeshFreedThatAddress() {
        assertThat(run(LeakingTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining(", allocated by mesh 1 (1x1 submesh of mesh 0)\n")
                .withTextContaining("sum     2 allocated = 1 freed + 1 leaked\n");
    }

    @TrackAllocations
    static class OneAfterTheOtherTestCase {
        @Test
        void test(AllocationTracker tracker) {
            Binding.open(tracker);
            Binding.allocate(tracker, 0);
            Binding.free(tracker, 0);
            Binding.allocate(tracker, 1);
            Binding.free(tracker, 1);
            Binding.close(tracker);
        }
    }

    @TrackAllocations
    static class AtATimeTestCase {
        @Test
        void test(AllocationTracker tracker) {
            TestTrackers.keep(tracker);
            Binding.holdAtATime(tracker);
        }
    }

    @TrackAllocations(check = AllocationCheck.NONE)
    static class UncheckedTestCase {
        @Test
        void test(AllocationTracker tracker) {
            Binding.holdAtATime(tracker);
        }
    }

    @TrackAllocations
    static class LeakingTestCase {
        @Test
        void test(AllocationTracker tracker) {
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
