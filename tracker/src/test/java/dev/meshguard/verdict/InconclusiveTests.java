package dev.meshguard.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** An inconclusive verdict lists what is missing. */
class InconclusiveTests {

    @Stories("""
            waits for a mesh that is still open
                mesh 0 over 0; allocate DRAM 0x1000 on 0
                = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                because mesh 0 is still open, so it may still be freed
                inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the
                    check.
            does not wait for the buffers of other devices
                mesh 0 over 0; allocate DRAM 0x1000 on 0..1
                = LEAKED, statuses UNDECIDED LEAKED
            does not wait for what an earlier life of the device left
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0
                = LEAKED, UNEXPLAINED LEAKED
            is inconclusive where a circular buffer is reported after its program ended
                mesh 0 over 0..1; end program 7; allocate L1 0x1000 on 0..1, circular buffer of program 7; close
                = INCONCLUSIVE, statuses UNDECIDED UNDECIDED
                inconclusive 2 buffers were reported too late to be true, the first (L1 0x1000 (4096) on device 0,
                    {allocated 1}) after program 7 ended, so what became of the memory is not known.
            is conclusive for allocations of another open mesh over the device
                mesh 0 over 0; mesh 1 in 0 over 0; close 1; allocate DRAM 0x1000 on 0; close
                = LEAKED, UNEXPLAINED LEAKED
            accepts a name that recurs in another open period of the device
                mesh 0 over 0; end program 1; close; mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 1; close
                = LEAKED, UNEXPLAINED LEAKED
            names memory that the witness holds and nobody reported
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = INCONCLUSIVE
                inconclusive When close began ({witnessed}) the allocator held 1 buffer that the ledger does not, the
                    first at DRAM 0x1000 (4096) on device 0.
            names the first of many unreported buffers
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0..1: 0x1000 0x2000; close
                = LEAKED
                inconclusive When close began ({witnessed}) the allocator held 3 buffers that the ledger does not, the
                    first at DRAM 0x2000 (8192) on device 0.
            is inconclusive about memory [whose free was reported | reported after the snapshot | of a circular buffer only]
                mesh 0 over 0; [allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000
                | witness CLOSE_BEGUN DRAM on 0: 0x1000; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                | allocate L1 0x1000 on 0, circular buffer of program 7; witness CLOSE_BEGUN L1 on 0: 0x1000;
                free L1 0x1000 on 0, circular buffer of program 7]; close
                = INCONCLUSIVE
            is conclusive where a buffer lies at the address of a circular buffer
                mesh 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 7;
                allocate L1 0x1000 on 0, lifetime SYSTEM; witness CLOSE_BEGUN L1 on 0: 0x1000;
                free L1 0x1000 on 0, lifetime SYSTEM; free L1 0x1000 on 0, circular buffer of program 7; close
                = LEAK_FREE, conclusive
            is inconclusive about memory reported only in an earlier open period of the device
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close; mesh 1 over 0;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = INCONCLUSIVE, FREE_UNREPORTED MISREPORTED
                inconclusive When close began ({last witnessed}) the allocator held 1 buffer that the ledger does not,
                    the first at DRAM 0x1000 (4096) on device 0.
            is conclusive for [what was allocated after the reset | a device whose mesh was closed before]
                mesh 0 over 0; [witness AFTER_WIPE DRAM on 0: 0x1000 | close without devices; mesh 1 over 0]; close
                = LEAK_FREE, conclusive
            names unreported memory that was allocated before the reset only
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x2000; witness BEFORE_WIPE DRAM on 0: 0x1000;
                free DRAM 0x2000 on 0; close
                inconclusive Before the allocators were wiped ({last witnessed}) the allocator held 1 buffer that the
                    ledger does not, the first at DRAM 0x1000 (4096) on device 0.
            believes no free of another open period or mesh
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x1000[; close; mesh 0 over 0; free DRAM 0x1000 on 0 | ;
                close without devices; mesh 1 without 0; free DRAM 0x1000 on 0, mesh 1 | , allocator MESH;
                mesh 1 in 0 over 0; free DRAM 0x1000 on 0, mesh 1]; close
                inconclusive When [close began | close began | the close of mesh 0 began] ({witnessed 1}) [the | the |
                    its] allocator held 1 buffer that the ledger does not, the first at DRAM 0x1000 (4096) on device 0.
            is not fooled by a tracker that nothing reports to
                phase TEST; checked
                = INCONCLUSIVE
                inconclusive Nothing was ever connected to the tracker: no mesh, no device and no buffer was reported to
                    it. Report to it, or call sourceAttached(…) if a source is connected that has nothing to report.
            is undecided about buffers from before tracking was off[ | , but not about later ones]
                allocate DRAM 0x1000 on 0; stopped the server was down; started[ | ; allocate DRAM 0x2000 on 0]
                = [INCONCLUSIVE | LEAKED], statuses [UNDECIDED | UNDECIDED LEAKED]
                inconclusive Tracking was off from {tracking stopped} on (the server was down), so what was allocated
                    and freed meanwhile is not known, nor what became of 1 buffer from before.
            knows that the allocator of a device serves every mesh over it
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0;
                witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; free DRAM 0x1000 on 0, owning, mesh 0; close
                = LEAK_FREE, conclusive
            decides nothing about a buffer whose free overtook its report
                mesh 0 over 0..1; free DRAM 0x1000 on 0..1, mesh 0, extent 64;
                allocate DRAM 0x1000 on 0..1, size 128, mesh 0, extent 64; witness CLOSE_BEGUN DRAM on 0..1: 0x1000;
                close
                = INCONCLUSIVE, statuses UNDECIDED UNDECIDED
                inconclusive 2 buffers were freed before they were reported, the first DRAM 0x1000 (4096) on device 0,
                    generation 1, so reports are out of order and what became of the memory is not known.
            does not take the free of another extent for [one that overtook | the end of a buffer]
                mesh 0 over 0; [free DRAM 0x1000 on 0, mesh 0, extent 32; | ]
                allocate DRAM 0x1000 on 0, size 128, mesh 0, extent 64; [ | free DRAM 0x1000 on 0, mesh 0, extent 32;]
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = LEAKED, [conclusive | statuses LEAKED]
            frees the report on the same devices
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, mesh 0; handle lost; allocate DRAM 0x1000 on 0, mesh 0;
                handle held; free DRAM 0x1000 on 0..1, mesh 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = HELD LEAKED
            decides nothing about a buffer whose free may be among lost reports
                mesh 0 over 0; allocate DRAM 0x1000 on 0; lost 1 the line was cut; close
                = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                because no free was reported
                because reports got lost later on ({reports lost}), so it may have been freed, and no snapshot covers it
            is inconclusive where two meshes have [a device | devices] open
                mesh 0 over 0..[1 | 2]; mesh 1 over 0..[1 | 2]; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close
                = INCONCLUSIVE
                inconclusive Device 0 was opened again ({device opened [3 | 4]}) while it was open, and so [was 1 other |
                    were 2 others], so the reports of the two meshes cannot be kept apart. Open them through one Ttnn, or close
                    the first one before.
            is inconclusive about memory of which only an earlier or another free is known
                mesh 0 over 0; free DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; free DRAM 0x2000 on 0;
                close
                inconclusive When close began ({witnessed}) the allocator held 1 buffer that the ledger does not, the
                    first at DRAM 0x1000 (4096) on device 0.
            adds up the reports that were lost for one reason
                lost 600 the line was cut; lost 400 the line was cut
                inconclusive 1000 reports are missing (first at {reports lost 1}: the line was cut).
            knows no number of reports where one loss has none
                source binding; lost 3 the line was cut; lost -1 the line was cut
                inconclusive An unknown number of reports is missing (first at {reports lost 1}: the line was cut).
            knows what nobody can have freed while tracking was off
                stopped the server was down; started; allocate DRAM 0x1000 on 0
                = LEAKED, statuses LEAKED
                inconclusive Tracking was off from {tracking stopped} on (the server was down), so what was allocated
                    and freed meanwhile is not known.
            is inconclusive about buffers that were live when tracking stopped[ | , though a later snapshot omits them]
                allocate DRAM 0x1000 on 0; [allocate DRAM 0x2000 on 0; | ] stopped the server was down
                [ | ; witness AFTER_WIPE DRAM on 0]
                = INCONCLUSIVE
                inconclusive Tracking ended at {tracking stopped} (the server was down), so it is not known whether
                    [2 buffers were | 1 buffer was] freed later.
            is inconclusive where tracking stopped and [the free was reported afterwards | nothing was reported]
                [allocate DRAM 0x1000 on 0; | ] stopped the server was down[; free DRAM 0x1000 on 0 | ]
                = INCONCLUSIVE
                inconclusive Tracking ended at {tracking stopped} (the server was down), so it is not known what was
                    allocated later.
            is conclusive when tracking stops [after every buffer is freed | before anything is there]
                [ | stopped the server was down;] allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0[; stopped the run was over | ]
                = LEAK_FREE, conclusive
            is conclusive for what a witness called free before tracking stopped
                allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; stopped the server was down
                = MISREPORTED, conclusive
            is inconclusive after a gap after the last snapshot
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0; stopped the server was down; started;
                witness AFTER_WIPE DRAM on 0; close
                inconclusive Tracking was off from {tracking stopped} on (the server was down), so what was allocated
                    and freed meanwhile is not known.
            decides what came after reports got lost
                lost 1 the line was cut; allocate DRAM 0x1000 on 0
                = LEAKED, UNEXPLAINED LEAKED
            is undecided about a buffer reported after its mesh was closed [without a beginning | beside another one]
                mesh 0 [without | over] 0; mesh 1 [without | over] 1; close [without devices | 0]; allocate DRAM 0x1000 on 0
                [ | ; close]
                = UNEXPLAINED UNDECIDED
                because it was reported after the last mesh over the device began to close ({mesh [closed 1 | closing]}), so the
                    report is late
            counts memory that was freed and gone before the wipe once
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; free DRAM 0x1000 on 0;
                witness BEFORE_WIPE DRAM on 0; close
                = MISREPORTED, conclusive, anomalies UNKNOWN_FREE
            believes no [silence | free before a reading that holds the memory | ignored free | later open period]
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; [witness BEFORE_WIPE DRAM on 0: 0x1000
                | free DRAM 0x1000 on 0; witness BEFORE_WIPE DRAM on 0: 0x1000
                | ignore DRAM 0x1000 on 0, UNKNOWN_ADDRESS | close; mesh 0 over 0; witness BEFORE_WIPE DRAM on 0]; close
                inconclusive When close began ({witnessed 1}) the allocator held 1 buffer that the ledger does not, the
                    first at DRAM 0x1000 (4096) on device 0.
            is conclusive for what is freed after [the snapshot | the readings | the snapshot and before one of other memory]
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; [ | witness BEFORE_WIPE DRAM on 0: 0x1000; | ]
                free DRAM 0x1000 on 0; [ | | witness BEFORE_WIPE L1 on 0;] close
                = MISREPORTED, conclusive
            believes no reading before the wipe of another device memory mesh or time
                mesh 0 over 0; [ | | | | witness BEFORE_WIPE DRAM on 0;] witness CLOSE_BEGUN DRAM on 0: 0x1000;
                [witness BEFORE_WIPE L1 on 0; | witness BEFORE_WIPE DRAM on 1; | witness BEFORE_WIPE DRAM on 0, mesh 1;
                | witness AFTER_WIPE DRAM on 0; | ] close
                inconclusive When close began ({witnessed [1 | 1 | 1 | 1 | 2]}) the allocator held 1 buffer that the
                    ledger does not, the first at DRAM 0x1000 (4096) on device 0.
            blames no free of a buffer from before the mesh was closed
                // The free ended a buffer of the mesh's earlier open period: the survivor came later, and no free
                // overtook it.
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64; close;
                free DRAM 0x1000 on 0, mesh 0, extent 64; mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64;
                close
                = causes LATE UNEXPLAINED, statuses FREED_LATE LEAKED, conclusive, anomalies FREE_REPORTED_AFTER_CLOSE
            is inconclusive about a buffer reported when the mesh is closed
                mesh 0 over 0; free DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close; allocate DRAM 0x1000 on 0
                = INCONCLUSIVE, UNEXPLAINED UNDECIDED, not leak free
                because it was reported after the last mesh over the device began to close ({mesh closed}), so the
                    report is late
                inconclusive 1 buffer was reported too late to be true, the first (DRAM 0x1000 (4096) on device 0,
                    {allocated}) after the last mesh over the device began to close, so what became of the memory is not
                    known.
            counts what was there at the check and not what followed it
                // The third mesh reports a backing buffer under a device that it does not cover.
                mesh 0 over 0; allocate DRAM 0x1000 on 0, view, mesh 0, allocator MESH; closing; close;
                mesh 1 over 0; allocate DRAM 0x1000 on 0, view, mesh 1, allocator MESH; closing; close;
                mesh 2 over 0; allocate DRAM 0x2000 on 0, view, mesh 2, allocator MESH;
                allocate DRAM 0x2000 on 5, owning, same request; closing; close; checked;
                free DRAM 0x9000 on 0, view, mesh 2, allocator MESH
                = conclusive
            says how many reports are missing
                lost 1 a frame was too short; lost 12 the queue was full; lost -1 the connection was cut
                = INCONCLUSIVE, not leak free, not balanced
                inconclusive 1 report is missing ({reports lost 1}: a frame was too short).
                inconclusive 12 reports are missing ({reports lost 2}: the queue was full).
                inconclusive An unknown number of reports is missing ({last reports lost}: the connection was cut).
            has nothing to say of no lost report
                source binding; lost 0 nothing happened
                = LEAK_FREE
            does not take the witness of another mesh for one that saw a buffer
                mesh 0 over 0; mesh 1 over 1; allocate DRAM 0x1000 on 0, mesh 0; stopped the server was down; started;
                witness CLOSE_BEGUN DRAM on 1, mesh 1; close
                = INCONCLUSIVE, statuses UNDECIDED, not leak free
                inconclusive Tracking was off from {tracking stopped} on (the server was down), so what was allocated
                    and freed meanwhile is not known, nor what became of 1 buffer from before.
            counts unreported memory that was free before the wipe as misreported
                mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; witness BEFORE_WIPE DRAM on 0; close
                = MISREPORTED, conclusive
                anomaly NEVER_REPORTED of DRAM 0x1000 (4096) on device 0
            knows by the witness what happened while tracking was off
                mesh 0 over 0; allocate DRAM 0x1000 on 0; stopped the server was down; started;
                witness CLOSE_BEGUN DRAM on 0: 0x1000, and L1+L1_SMALL+TRACE+SYSTEM_MEMORY on 0; close
                = LEAKED, statuses LEAKED, conclusive
            is conclusive for a buffer that is expected anyway
                mesh 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 7; stopped the server was down; started;
                witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE+SYSTEM_MEMORY on 0; close
                expecting count atMost 1
                = EXPECTED_ONLY
            needs no witness of a mesh that was closed before tracking was off
                mesh 0 over 0; mesh 1 over 1; close 0; stopped the server was down; started;
                witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE+SYSTEM_MEMORY on 1, mesh 1; close
                = LEAK_FREE, conclusive
            counts allocated, freed and leaked buffers
                without origins; allocate DRAM 0x1000 on 0..1; allocate DRAM 0x2000 on 1, size 32; free DRAM 0x1000 on 0
                = LEAKED, conclusive
                sum 3 allocated, 1 freed, 2 leaked
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void saysThatTheCountsOfTheTrackerDisagree() {
        LeakVerdict verdict = LeakCheck.create().examine(AllocationHistory.of(List.of(), OptionalLong.of(5), true));

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasonTexts())
                .containsExactly("The tracker's own counts disagree: 0 allocated, 0 freed, 0 live, 5 in the ledger.");
    }
}
