package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

/** The witness listed the memory as free in time, or its handle was released after the device was closed. */
class FreeUnreportedTests {

    @Stories("""
            is named when the witness calls the memory free at close[ | , by the first reading that covers the memory]
                mesh 0 over [0 | 0..1]; allocate DRAM 0x1000 on 0; [ | witness CLOSE_BEGUN DRAM on 1;]
                witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
                because the allocator reported 0x1000 (4096) as free when close began ({last witnessed})
            is named when the runtime freed its own memory before the wipe
                mesh 0 over 0; allocate DRAM 0x1000 on 0, lifetime SYSTEM; witness CLOSE_BEGUN DRAM on 0: 0x1000;
                witness BEFORE_WIPE DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
                because the allocator reported 0x1000 (4096) as free before the allocators were wiped ({last witnessed})
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed 1})
            is left to what is late where nobody reports that a device is closed
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close without devices; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = LATE FREED_LATE
            is not named when the witness holds the memory at close
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000;
                witness BEFORE_WIPE DRAM on 0; witness AFTER_WIPE DRAM on 0; close
                = UNEXPLAINED LEAKED
                because no free was reported
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed 1})
            is not named for a reading after the wipe only
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness AFTER_WIPE DRAM on 0; close
                = UNEXPLAINED LEAKED
                because no free was reported
            is named for a snapshot of the device that the close of another mesh read
                mesh 0 over 0..1; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 1, allocator DEVICE; close 1;
                witness CLOSE_BEGUN DRAM on 1, mesh 1, allocator DEVICE; close
                = FREE_UNREPORTED MISREPORTED
            is not named for a reading [after its mesh | of another allocator | of another mesh | before | later | of 1 | of L1]
                [mesh 0 over 0; mesh 1 without 0; allocate DRAM 0x1000 on 0, mesh 1; close 1;
                witness CLOSE_BEGUN DRAM on 0, mesh 1
                | mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0, allocator DEVICE
                | mesh 0 over 0; mesh 1 over 1; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0, mesh 1
                | mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0; allocate DRAM 0x1000 on 0
                | mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; witness CLOSE_BEGUN DRAM on 0
                | mesh 0 over 0..1; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 1
                | mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN L1 on 0]; close
                = UNEXPLAINED LEAKED
            is not named for persistent memory
                mesh 0 over 0; allocate DRAM 0x1000 on 0, lifetime PERSISTENT; witness CLOSE_BEGUN DRAM on 0; close
                = SYSTEM EXPECTED
            is not named for a circular buffer that no allocator knows
                mesh 0 over 0; allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                witness CLOSE_BEGUN L1 on 0; close
                = UNEXPLAINED LEAKED
            is not named for a second free that the runtime ignored
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, ALREADY_FREED; close
                = UNEXPLAINED LEAKED
            does not excuse a new buffer for the late release of an older handle
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; allocate DRAM 0x1000 on 0;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED; close
                = causes LATE UNEXPLAINED, statuses FREED_LATE LEAKED
            does not excuse a new buffer for a late release [that may mean either | of a handle whose free was reported]
                mesh 0 over 0; allocate DRAM 0x1000 on 0; [close | free DRAM 0x1000 on 0; close]; mesh 1 over 0;
                allocate DRAM 0x1000 on 0; [close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                | ignore DRAM 0x1000 on 0, DEVICE_CLOSED; close]
                = UNEXPLAINED LEAKED
            does not excuse a later report for an earlier [release | reading] where devices are not reported
                mesh 0 without 0; allocate DRAM 0x1000 on 0; [close without devices; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                | witness CLOSE_BEGUN DRAM on 0; close without devices]; mesh 1 without 0;
                allocate DRAM 0x1000 on 0; [ | witness CLOSE_BEGUN DRAM on 0: 0x1000;] close without devices
                = UNEXPLAINED LEAKED
            does not excuse a buffer for a reading of an earlier mesh
                without origins; mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0; close; mesh 1 over 0;
                allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = UNEXPLAINED LEAKED
            blames no gap that was over before the buffer was there
                mesh 0 over 0; stopped the server was down; started; allocate DRAM 0x1000 on 0;
                witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
            needs a release for each report of which nothing is known
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0; close;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED[ | ; ignore DRAM 0x1000 on 0, DEVICE_CLOSED]
                = [UNEXPLAINED UNDECIDED | LATE FREED_LATE]
            needs a release for a known request and for one of which nothing is known
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, of program 7;
                close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = UNEXPLAINED LEAKED
            is not proved by a snapshot after the close of the device
                mesh 0 over 0; allocate DRAM 0x1000 on 0, allocator DEVICE; close; witness CLOSE_BEGUN DRAM on 0
                = UNEXPLAINED LEAKED
            is disproved by memory that a snapshot still lists after the close of the device
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; witness CLOSE_BEGUN DRAM on 0: 0x1000
                = UNEXPLAINED LEAKED, conclusive
                because no free was reported
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
            is named when the one buffer that owns the memory of its request was freed
                allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 1, view, same request;
                free DRAM 0x1000 on 0, owning
                = FREE_UNREPORTED MISREPORTED
                because the buffer of the same request that owns its memory was freed at {freed}
            is not named [for an owner of other memory | where the free does not say that it was the owner's]
                allocate DRAM [0x2000 | 0x1000] on 0, owning; allocate DRAM 0x1000 on 1, view, same request;
                free DRAM [0x2000 on 0, owning | 0x1000 on 0]
                = UNEXPLAINED LEAKED
            is not named for [a sibling that owns nothing | an owner that is of another request]
                allocate DRAM 0x1000 on 0..1, view; [free DRAM 0x1000 on 0, view
                | allocate DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0, owning]
                = UNEXPLAINED LEAKED
            does not excuse a buffer at an address that an earlier mesh left behind
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close;
                mesh 1 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = LEAKED, statuses MISREPORTED LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void doesNotExcuseABufferReportedAfterTheReadingByARequestBegunBefore() {
        var tracker = AllocationTracker.create();
        var script = HistoryScript.on(tracker).report("mesh 0 over 0");
        var request = tracker.request(AllocationDetails.user());
        script.report("witness CLOSE_BEGUN DRAM on 0");
        tracker.allocated(request, 0, DRAM, 0x1000, 64, Ownership.UNKNOWN);

        judged(script.report("close").recorded()).hasOnly(UNEXPLAINED, LEAKED);
    }

    /** On device 1, the first of two buffers of one address is reported after the second one. */
    @Test
    void isNotProvedByAReservationOfAnEarlierRequest() {
        var tracker = AllocationTracker.create();
        var script = HistoryScript.on(tracker).report("mesh 0 over 0..1");
        var ofMesh = AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH);
        var first = tracker.request(ofMesh.withExtent(32));
        var free = tracker.release(first.details());
        tracker.allocated(first, 0, DRAM, 0x1000, 32, Ownership.NON_OWNING);
        tracker.freed(free, 0, DRAM, 0x1000, Ownership.NON_OWNING);
        script.report("phase TEST");
        var second = tracker.request(ofMesh.withExtent(64));
        tracker.allocated(second, 1, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.allocated(first, 1, DRAM, 0x1000, 32, Ownership.NON_OWNING);
        tracker.freed(free, 1, DRAM, 0x1000, Ownership.NON_OWNING);
        tracker.allocated(second, 0, DRAM, 0x1000, 64, Ownership.NON_OWNING);

        judged(script.report("witness CLOSE_BEGUN DRAM on 0..1: 0x1000; close").recorded())
                .hasOnly(UNEXPLAINED, LEAKED);
    }
}
