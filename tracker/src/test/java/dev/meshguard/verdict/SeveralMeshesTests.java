package dev.meshguard.verdict;

import org.junit.jupiter.api.Nested;

/**
 * A mesh, its submeshes and a second root mesh over the same devices have an allocator each, and all use the same
 * addresses. A leak is always attributed to the right mesh.
 */
class SeveralMeshesTests {

    /** Leaks are attributed to the right mesh. */
    @Nested
    class Leaks {

        @Stories("""
                a parent leaks though its submesh freed that address
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..1, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0..3: 0x1000; close 0
                    = LEAKED, UNEXPLAINED LEAKED, live on devices 0 1 2 3
                    because no free was reported
                    because the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began ({witnessed})
                a free that names no mesh [takes what fits it best | frees the latest where nothing distinguishes them]
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0[, of program 7 | ], mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0[, of program 7 | ]; close
                    = live of meshes [1 | 0]
                nothing remains where each mesh freed its own
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..1, mesh 1;
                    free DRAM 0x1000 on 0..3, mesh 0; witness CLOSE_BEGUN DRAM on 0..1, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0..3; close 0
                    = OVERWRITTEN, conclusive, leak free, balanced
                    sum 6 allocated, 6 freed
                a submesh leaks where its parent has a buffer
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; witness CLOSE_BEGUN DRAM on 0..1: 0x1000, mesh 1; close 1;
                    free DRAM 0x1000 on 0..3, mesh 0; witness CLOSE_BEGUN DRAM on 0..3; close 0
                    = LEAKED, conclusive, UNEXPLAINED LEAKED, live of meshes 1 1
                    because no free was reported
                    because the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began ({witnessed 1})
                meshes that allocate the same memory at a time overlap
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; close
                    = overwrites BY_OTHER_ALLOCATOR
                memory freed without a report overlaps nothing
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0; close
                    = no overwrites
                a free of nothing is no overlap
                    mesh 0 over 0; free DRAM 0x1000 on 0; close
                    = no overwrites
                a buffer keeps its mesh
                    without origins; mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    allocate DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0; close 0;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, UNEXPLAINED LEAKED, live of meshes 1
                an address that two meshes reported is of the one that did not free it and is not excused by the other
                    without origins; mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0;
                    close 0; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, UNEXPLAINED LEAKED, live of meshes 1
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }

    /** Freed memory of which a report is missing or doubled. */
    @Nested
    class Ledgers {

        @Stories("""
                two reports of one mesh still are
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 1, again NON_OWNING;
                    free DRAM 0x1000 on 0, owning, mesh 1; close
                    = MISREPORTED, REPORTED_TWICE MISREPORTED
                    because reported 2 times at one live address ({allocated 1, 2}), freed once
                    because the view of {last allocated} was destroyed without a report; the buffer that it looked at
                        was freed at {freed}
                only the witness of its own mesh excuses a buffer
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..3, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0..3; close 0; witness CLOSE_BEGUN DRAM on 0..1: 0x1000, mesh 1; close 1
                    = LEAKED, UNEXPLAINED LEAKED
                a submesh does not account for what its parent holds unreported
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0; free DRAM 0x1000 on 0, mesh 1; close 1
                    = INCONCLUSIVE
                    inconclusive When the close of mesh 0 began ({witnessed}) its allocator held 1 buffer that the
                        ledger does not, the first at DRAM 0x1000 (4096) on device 0.
                a buffer that names no mesh accounts for what either holds
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; free DRAM 0x1000 on 0; close 1;
                    witness CLOSE_BEGUN DRAM on 0; close 0
                    = LEAK_FREE, conclusive
                the runtime's own memory is judged by the wipe of its own mesh
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, lifetime SYSTEM, mesh 1;
                    witness BEFORE_WIPE DRAM on 0; witness AFTER_WIPE DRAM on 0; close 0;
                    witness BEFORE_WIPE DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, SYSTEM LEAKED
                the reports of two meshes are not one allocation reported twice
                    // The parent's object owns, the submesh's only points: within one mesh that would be one
                    // allocation.
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0;
                    allocate DRAM 0x1000 on 0, view, mesh 1; free DRAM 0x1000 on 0, owning, mesh 0; close
                    = LEAKED, UNEXPLAINED LEAKED
                    because no free was reported
                a report under a device that is none of its mesh's own is still that mesh's
                    // Some runtimes report memory of a whole mesh under device 0.
                    mesh 0 over 0..1; mesh 1 in 0 over 1; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; close 1; free DRAM 0x1000 on 0, mesh 0
                    = LEAKED, UNEXPLAINED LEAKED, live of meshes 1, no anomalies
                the witness of its own mesh does excuse it though another holds that address
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; witness CLOSE_BEGUN DRAM on 0..1, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0..3: 0x1000; free DRAM 0x1000 on 0..3, mesh 0; close 0
                    = FREED_LATE, statuses FREED_LATE FREED_LATE FREED_LATE FREED_LATE MISREPORTED MISREPORTED
                    = live of meshes 1 1
                    youngest because the allocator of mesh 1 reported 0x1000 (4096) as free when close began ({witnessed
                        1})
                a mesh that frees twice takes nothing from another
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 1;
                    close
                    = LEAKED, conclusive, UNEXPLAINED LEAKED, ledger entries 1
                    anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1000 (4096) on device 0, generation 1
                    anomaly DOUBLE_FREE of DRAM 0x1000 (4096) on device 0, generation 2
                a free by a mesh without an allocation there is unknown and names the allocating mesh
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 0; close
                    = MISREPORTED, conclusive, no live buffers
                    anomaly UNKNOWN_FREE of DRAM 0x1000 (4096) on device 0, generation 1
                a double free is one also after another mesh used the address
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0;
                    close
                    anomaly DOUBLE_FREE of DRAM 0x1000 (4096) on device 0, generation 1
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }

    /** Buffers whose reports name no mesh. */
    @Nested
    class Unnamed {

        @Stories("""
                one mesh that calls a buffer taken speaks for it
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0, mesh 1;
                    close 1; witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0
                    = UNEXPLAINED LEAKED
                    because no free was reported
                    because the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began ({last
                        witnessed})
                what every mesh calls free is free[ | , and what only one of them was asked about is not]
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0, mesh 1;
                    close 1; [witness CLOSE_BEGUN DRAM on 0; | ] close 0
                    = [FREE_UNREPORTED MISREPORTED | UNEXPLAINED LEAKED]
                    because [the allocator of mesh 1 reported 0x1000 (4096) as free when close began ({witnessed 1})
                        | no free was reported]
                a mesh that was opened later says nothing of it
                    mesh 0 over 0; allocate DRAM 0x1000 on 0; mesh 1 in 0 over 0;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; witness CLOSE_BEGUN DRAM on 0; close 0
                    = FREE_UNREPORTED MISREPORTED
                    because the allocator of mesh 0 reported 0x1000 (4096) as free when close began ({last witnessed})
                what any mesh called taken since the first report is not excused by another
                    // It is unknown which of the two reports the free matched.
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, view;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; allocate DRAM 0x1000 on 0, owning;
                    free DRAM 0x1000 on 0, view; witness CLOSE_BEGUN DRAM on 0; close 0
                    = UNEXPLAINED LEAKED
                    because reported twice, freed once
                    because the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began ({witnessed 1})
                what a closed mesh left is not reported again by a buffer that names none
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1; close 1;
                    allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; close 0
                    = generations 2, live of meshes 1
                a free that names a mesh frees the report that does
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; allocate DRAM 0x1000 on 0;
                    free DRAM 0x1000 on 0, mesh 0; close
                    = open reports 1, live of meshes none
                a view that names no mesh is of the buffer it points to
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, view;
                    free DRAM 0x1000 on 0, owning, mesh 0; close
                    = generations 1, REPORTED_TWICE MISREPORTED
                a report that names the mesh says whose the buffer is
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0
                    = live of meshes none 1, open reports 1 1, anomalies HELD_BY_TWO_ALLOCATORS
                a circular buffer is of no mesh
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 1, mesh 0;
                    allocate L1 0x1000 on 0, circular buffer of program 2, mesh 1; end program 1; end program 2; close
                    = no anomalies, CIRCULAR_BUFFER_UNREPORTED MISREPORTED, live of meshes none
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }

    /** The verdict while a mesh is open. */
    @Nested
    class OpenMeshes {

        @Stories("""
                what a closed submesh left is judged though its parent is open
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; close 1
                    = LEAKED, statuses UNDECIDED UNDECIDED UNDECIDED UNDECIDED LEAKED LEAKED
                    because mesh 0 is still open, so it may still be freed
                    inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the
                        check.
                an open submesh is named as one and what it holds is undecided
                    mesh 0 over 0..1; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..1, mesh 1
                    = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                    because mesh 1 is still open, so it may still be freed
                    inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the
                        check.
                    inconclusive Mesh 1 (1x2 submesh of mesh 0) is still open, so its buffers may still be freed. Close
                        it before the check.
                a submesh that outlives its mesh is still open and the mesh is judged
                    mesh 0 over 0..1; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; close 0
                    = LEAKED, statuses LEAKED UNDECIDED
                    inconclusive Mesh 1 (1x2 submesh of mesh 0) is still open although mesh 0 is closed, so its buffers
                        may still be freed. Close it before the check.
                a submesh of a mesh that was never opened has no closed parent
                    mesh 1 in 0 over 0
                    inconclusive Mesh 1 (1x1 submesh of mesh 0) is still open, so its buffers may still be freed. Close
                        it before the check.
                a submesh that outlives its mesh may still allocate and free
                    mesh 0 over 0; mesh 1 in 0 over 0; close 0; allocate DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 1; close 1
                    = LEAK_FREE, conclusive, no anomalies
                what names no mesh waits for the last mesh over its device
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; close 0
                    = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                is undecided for a buffer whose free names the parent or the submesh
                    mesh 0 over 0..1; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh [0 | 1];
                    free DRAM 0x1000 on 0, mesh [1 | 0]; close
                    = UNEXPLAINED UNDECIDED
                    because no free was reported
                    because the free of {freed} names mesh [1 | 0], and no buffer of that mesh was at the address
                a handle released after the close of its mesh says so
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; close 1; ignore DRAM 0x1000 on 0..1, DEVICE_CLOSED, mesh 1;
                    free DRAM 0x1000 on 0..3, mesh 0; close 0
                    = FREED_LATE, LATE FREED_LATE
                    because its handle was released at {free ignored 1}, after the close of mesh 1 began ({mesh closing
                        1}), at …
                a handle of a closed mesh says nothing of what an open one holds
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; close 1; ignore DRAM 0x1000 on 0..3, DEVICE_CLOSED, mesh 0;
                    close 0
                    = LEAKED, UNEXPLAINED LEAKED
                a mesh number that comes back is another mesh
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0;
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0; close 0
                    = LEAKED, UNEXPLAINED LEAKED, conclusive
                    because no free was reported
                    because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed 1})
                    live DRAM 0x1000 (4096) on device 0, generation 1
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }

    /** Devices that are reported opened by each mesh that uses them. */
    @Nested
    class DevicesOpenedTwice {

        @Stories("""
                are conclusive where every buffer names its mesh
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0
                    = LEAKED, conclusive, live of meshes 0
                    because no free was reported
                    because the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began ({last
                        witnessed})
                are inconclusive where one buffer does not name its mesh
                    mesh 0 over 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 1; allocate DRAM 0x2000 on 0;
                    free DRAM 0x1000 on 0, mesh 1; free DRAM 0x2000 on 0; close
                    = INCONCLUSIVE
                    inconclusive Device 0 was opened again ({last device opened}) while it was open, so the reports of
                        the two meshes cannot be kept apart. Open them through one Ttnn, or close the first one before.
                are inconclusive where both meshes have one number
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    free DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0; close
                    = INCONCLUSIVE
                    inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the check.
                    inconclusive Device 0 was opened again ({last device opened}) while it was open, so the reports of
                        the two meshes cannot be kept apart. Open them through one Ttnn, or close the first one before.
                are inconclusive where a later submesh has the number of the other mesh
                    // A submesh opens no device, so the number that it shares shows only after the device was opened
                    // again.
                    mesh 0 over 0; mesh 1 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 1; close
                    = INCONCLUSIVE, reasons MESH_OPEN DEVICE_OPENED_TWICE
                are inconclusive where the named mesh was never opened
                    mesh 0 over 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 5; free DRAM 0x1000 on 0, mesh 5;
                    close
                    = INCONCLUSIVE, reasons DEVICE_OPENED_TWICE
                are inconclusive after a submesh was closed too
                    mesh 0 over 0; mesh 1 in 0 over 0; close 1; mesh 2 over 0; allocate DRAM 0x1000 on 0;
                    free DRAM 0x1000 on 0; close
                    = reasons DEVICE_OPENED_TWICE
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }
}
