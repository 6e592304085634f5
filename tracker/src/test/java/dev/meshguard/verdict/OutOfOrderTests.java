package dev.meshguard.verdict;

/** A free that arrives before the report of its allocation leaves a buffer in the ledger that may be gone. */
class OutOfOrderTests {

    @Stories("""
            is inferred from a free of nothing
                mesh 0 over 0; free DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1; close
                = UNEXPLAINED UNDECIDED
                because no free was reported
                because a free that fits it came at {freed}, before it was reported ({allocated})
                inconclusive 1 buffer was freed before it was reported, the first DRAM 0x1000 (4096) on device 0,
                    generation 1, so reports are out of order and what became of the memory is not known.
            is inferred from a free of what another owner has
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program 2; witness CLOSE_BEGUN DRAM on 0: 0x1000;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 2; close
                = UNEXPLAINED UNDECIDED
                because no free was reported
                because a free that fits it came at {freed}, before it was reported ({last allocated})
                because 2 reports of that address are open, the last one of {last allocated} (64 B), at …
            [leaves nothing if the free of a view comes before its report | leaves the buffer if its view is freed twice]
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH, pointer;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH, pointer;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH[ | , pointer]; close
                = [LEAK_FREE, no anomalies | LEAKED]
            is undecided if the free names an owner without buffers at the address
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program 2; close
                = UNEXPLAINED UNDECIDED
                because no free was reported
                because the free of {freed} names program 2, which had no buffer at the address
            is not inferred from a free [by its owner of what that owner had | in the name of a third owner]
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program [1 | 3];
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program [1 | 2]; close
                = UNEXPLAINED LEAKED
            are undecided where a free fits two buffers of an unknown allocator of the mesh
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, owning, mesh 0;
                free DRAM 0x1000 on 0, owning, mesh 0; close
                = UNEXPLAINED UNDECIDED
                inconclusive The reports of 1 buffer fit a leak as well as freed memory; the first is DRAM 0x1000 (4096)
                    on device 0, generation 1. A reading of the allocators when the close begins would decide it.
            are decided where the free is of a view
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, view, mesh 0;
                allocate DRAM 0x1000 on 0, view, mesh 0; free DRAM 0x1000 on 0, view, mesh 0; close
                = UNEXPLAINED LEAKED
            give a late free to the later buffer where the earlier one was reported twice and freed once
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, allocator MESH, again UNKNOWN;
                free DRAM 0x1000 on 0, mesh 0, allocator MESH; allocate DRAM 0x1000 on 0, mesh 0, allocator MESH; close;
                free DRAM 0x1000 on 0, mesh 0, allocator MESH
                = causes REPORTED_TWICE LATE
            are undecided where a late free may be of the buffer that took the address next
                mesh 0 over 0; free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH
                = statuses UNDECIDED UNDECIDED
            are undecided where a free fits two buffers of one address
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH; close
                = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                because no free was reported
                because the free of {freed} fits it as well as what {allocated 1} reported at its address before: one
                    free is missing, and no snapshot shows of which
                inconclusive The reports of 1 buffer fit a leak as well as freed memory; the first is DRAM 0x1000 (4096)
                    on device 0, generation 2. A reading of the allocators when the close begins would decide it.
            are a leak where the mesh reserved the address once more after the free that fits two
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, owning, mesh 0;
                free DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, owning, mesh 0; close
                = UNEXPLAINED LEAKED
            are decided by a witness where a free fits two buffers
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                witness CLOSE_BEGUN DRAM on 0[ | : 0x1000]; close
                = [FREE_UNREPORTED MISREPORTED | UNEXPLAINED LEAKED]
            are a leak where only the first buffer can be what the witness lists
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 32, allocator MESH;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 32, allocator MESH;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = UNEXPLAINED LEAKED
            are undecided where the witness may list a buffer of another allocator
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, allocator DEVICE; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = statuses UNDECIDED LEAKED
            are decided by the owner that a free names
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH, of program 7;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH; close
                = UNEXPLAINED LEAKED
            are decided for a buffer of another allocator at the address
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, extent 64, [mesh 0, allocator SUB_DEVICE 0 of 0 | mesh 1, allocator MESH];
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH; close
                = statuses UNDECIDED LEAKED
            are decided where the first buffer was freed before
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                free DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH;
                allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64, allocator MESH; close
                = UNEXPLAINED LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
