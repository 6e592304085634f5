package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** Tests that the lines are those of tt-metal's server with reference counts. */
class ServerLogLinesTests {

    private static final AllocationDetails OF_7 = AllocationDetails.user().reportedBy(7);

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void countReferencesAndKeepTheFirstSizeAndOwner() {
        allocate(0, 101_152, 4_096);
        allocate(0, 101_152, 2_048);
        free(0, 101_152);
        free(0, 101_152);
        free(0, 101_152);

        assertThat(ServerLogLines.of(tracker.history()))
                .containsExactly(
                        "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
                        "✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=101152, ref_count=2)",
                        "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)",
                        "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)",
                        "⚠ [PID 7] Deallocation for unknown buffer 101152 on device 0 (allocated before tracking started)");
    }

    @Test
    void removeWhatADeadProcessHad() {
        allocate(0, 101_152, 4_096);
        allocate(0, 105_248, 4_096);
        allocate(1, 101_152, 4_096);
        tracker.processDied(7);
        tracker.processDied(8);

        assertThat(ServerLogLines.of(tracker.history()).subList(3, 8))
                .containsExactly(
                        "",
                        "⚠️  Detected dead processes, cleaning up orphaned buffers...",
                        "   PID 7 is dead, removing its buffers...",
                        "   ✓ Removed 3 buffers (0.0117188 MB) from PID 7",
                        "");
    }

    private void allocate(int device, long address, long size) {
        tracker.allocated(tracker.request(OF_7), device, BufferType.L1, address, size, Ownership.UNKNOWN);
    }

    private void free(int device, long address) {
        tracker.freed(tracker.release(OF_7), device, BufferType.L1, address, Ownership.UNKNOWN);
    }
}
