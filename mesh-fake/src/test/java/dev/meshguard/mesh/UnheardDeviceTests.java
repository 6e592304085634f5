package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;

/** A device whose reports never arrive, while the snapshot of its allocator lists memory. */
class UnheardDeviceTests {

    private static final int UNHEARD = 1;

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void memoryThatOnlyTheAllocatorListsMakesTheVerdictInconclusive() {
        Ttnn ttnn = Ttnn.create(new DeafListener(tracker));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        mesh.allocateOn(UNHEARD, BufferConfig.of(BufferType.DRAM, 4_096, 2_048));
        ttnn.closeMeshDevice(mesh);

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasons())
                .extracting(InconclusiveReason::kind)
                .containsOnly(InconclusiveReason.Kind.MEMORY_UNREPORTED);
        assertThat(verdict.inconclusiveReasonTexts()).anyMatch(text -> text.contains("on device " + UNHEARD));
    }

    /** Loses all reports of one device. */
    private static final class DeafListener extends ForwardingListener {

        private DeafListener(AllocationTracker tracker) {
            super(tracker);
        }

        @Override
        public void allocated(
                MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
            if (device != UNHEARD) {
                listener.allocated(request, device, type, address, size, ownership);
            }
        }

        @Override
        public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
            if (device != UNHEARD) {
                listener.freed(release, device, type, address, ownership);
            }
        }
    }
}
