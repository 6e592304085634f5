package dev.meshguard.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DisagreeingCountsTests {

    private static final AllocationDetails OF_MESH = AllocationDetails.user().fromAllocator(AllocatorId.MESH);

    @Test
    void makeTheVerdictInconclusive() {
        var history = AllocationHistory.of(List.of(), OptionalLong.of(5), true);

        LeakVerdict verdict = LeakCheck.create().examine(history);

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasonTexts())
                .containsExactly("The tracker's own counts disagree: 0 allocated, 0 freed, 0 live, 5 in the ledger.");
    }

    /** Two meshes leave one address, and the third reports a backing buffer under a device that it does not cover. */
    @Test
    void doNotComeFromWhatFollowsTheCheck() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int mesh : List.of(0, 1)) {
            open(mesh, tracker);
            allocate(mesh, 0x1000, tracker);
            close(mesh, tracker);
        }
        open(2, tracker);
        MemoryRequest request = allocate(2, 0x2000, tracker);
        tracker.allocated(request, 5, BufferType.DRAM, 0x2000, 64, Ownership.OWNING);
        close(2, tracker);
        tracker.checked();
        LeakVerdict atCheck = LeakCheck.create().examine(tracker.history());

        tracker.freed(tracker.release(OF_MESH.onMesh(2)), 0, BufferType.DRAM, 0x9000, Ownership.NON_OWNING);

        assertThat(LeakCheck.create().examine(tracker.history()).inconclusiveReasons())
                .isEqualTo(atCheck.inconclusiveReasons())
                .isEmpty();
    }

    private static void open(int mesh, AllocationTracker tracker) {
        tracker.meshOpened(MeshDescription.of(mesh, "1x1 mesh", List.of(0)));
        tracker.deviceOpened(0);
    }

    private static MemoryRequest allocate(int mesh, long address, AllocationTracker tracker) {
        MemoryRequest request = tracker.request(OF_MESH.onMesh(mesh));
        tracker.allocated(request, 0, BufferType.DRAM, address, 64, Ownership.NON_OWNING);
        return request;
    }

    private static void close(int mesh, AllocationTracker tracker) {
        tracker.meshClosing(mesh);
        tracker.deviceClosed(0);
        tracker.meshClosed(mesh);
    }
}
