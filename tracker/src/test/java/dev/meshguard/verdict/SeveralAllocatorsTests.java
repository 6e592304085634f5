package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.PolicyLedger;
import org.junit.jupiter.api.Test;

/** A mesh, each device and each sub-device have an allocator of their own, and two of them reserve one address. */
class SeveralAllocatorsTests {

    @Stories("""
            a buffer of a device beside one of the mesh is a buffer of its own
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, size 33554432, mesh 0, allocator MESH;
                allocate DRAM 0x1000 on 0, size 2048, allocator DEVICE, owning;
                free DRAM 0x1000 on 0..1, mesh 0, allocator MESH; close
                = LEAKED, conclusive, live of meshes none, live of allocators device, anomalies HELD_BY_TWO_ALLOCATORS
                sum 3 allocated, 2 freed, 1 leaked
                leak UNEXPLAINED (leaked): DRAM 2048 B x 1 on devices [0]
            of two at one address the one that was not freed is left
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0, size 1000, mesh 0, allocator MESH;
                allocate DRAM 0x1000 on 0, size 24, allocator DEVICE; free DRAM 0x1000 on 0, mesh 0, allocator MESH;
                close
                = conclusive, live of meshes none, live of allocators device
                leak UNEXPLAINED (leaked): DRAM 24 B x 1 on devices [0]
            two sub-devices of one manager share no memory
                mesh 0 over 0; allocate L1 0x1000 on 0, mesh 0, allocator SUB_DEVICE 0 of 1;
                allocate L1 0x1000 on 0, mesh 0, allocator SUB_DEVICE 1 of 1
                = generations 2, ledger entries 2, no anomalies
            a buffer of a device is judged by the close that ends the device
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, allocator DEVICE, owning;
                witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
            a reading of one allocator speaks for its own buffers only
                // The device's own allocator called it free; the mesh still holds buffers that were freed.
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, size 33554432, mesh 0, allocator MESH;
                allocate DRAM 0x1000 on 0, size 2048, allocator DEVICE, owning;
                free DRAM 0x1000 on 0..1, mesh 0, allocator MESH;
                witness CLOSE_BEGUN DRAM on 0..1: 0x1000, allocator MESH;
                witness CLOSE_BEGUN DRAM on 0, allocator DEVICE; close
                = FREE_UNREPORTED MISREPORTED
                inconclusive When close began ({witnessed 1})…
            reports that name no allocator match what one reserved
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0, allocator MESH;
                allocate DRAM 0x2000 on 0, allocator DEVICE; free DRAM 0x2000 on 0; close
                = no live buffers, ledger entries 0, no anomalies
            a free of one allocator takes nothing from another
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, allocator MESH;
                free DRAM 0x1000 on 0, allocator DEVICE; close
                = live of meshes 0, ledger entries 1
                anomaly UNKNOWN_FREE of DRAM 0x1000 (4096) on device 0, generation 1
            a leak in a sub-device says whether its manager was cleaned up
                mesh 0 over 0; allocate L1 0x1000 on 0, mesh 0, allocator SUB_DEVICE 0 of 1;
                witness CLOSE_BEGUN L1 on 0: 0x1000, allocator SUB_DEVICE 0 of 1;
                witness AFTER_WIPE L1 on 0[ | : 0x1000], allocator SUB_DEVICE 0 of 1; close
                because no free was reported
                because the allocator of sub-device 0 of manager 1 reported 0x1000 (4096) as allocated when close began
                    ({witnessed 1})
                because sub-device manager 1 was [cleaned | not cleaned] up when the mesh closed: its allocator listed
                    0x1000 (4096) as [free | allocated] afterwards ({last witnessed})
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void theTrackerAndThePolicyLedgerAddUpOverAllocators() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 1000, mesh 0, allocator MESH;
                allocate DRAM 0x1000 on 0, size 24, allocator DEVICE
                """);

        assertThat(history.ledgerEntries()).isEqualTo(2);
        assertThat(history.snapshot()).hasToString("device 0 DRAM USER: 1 KiB (1024 B) in 2 buffers");
        for (CountingPolicy policy :
                new CountingPolicy[] {CountingPolicy.REFERENCE_COUNTED, CountingPolicy.ONCE_PER_ADDRESS}) {
            PolicyLedger books = history.ledger(policy);
            assertThat(books.bytes(0, DRAM)).isEqualTo(1_024);
            assertThat(books.entries()).isEqualTo(2);
            assertThat(books.reports(0)).isEqualTo(2);
        }
    }
}
