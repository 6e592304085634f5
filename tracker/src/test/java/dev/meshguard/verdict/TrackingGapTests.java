package dev.meshguard.verdict;

/** While the source does not report, memory may be allocated that only a snapshot of its allocator shows. */
class TrackingGapTests {

    @Stories("""
            is excused by snapshots of all allocators only
                mesh 0 over 0; stopped the server was down; started; closing;
                [witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0;
                | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator MESH;
                witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator DEVICE;
                | | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator MESH;
                | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator DEVICE;
                | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator SUB_DEVICE 0 of 0;
                | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, mesh 1;] close; checked
                = [LEAK_FREE | LEAK_FREE | INCONCLUSIVE | INCONCLUSIVE | INCONCLUSIVE | INCONCLUSIVE | INCONCLUSIVE]
            is not excused by a snapshot without one type
                mesh 0 over 0; stopped the server was down; started; closing;
                witness CLOSE_BEGUN [L1+L1_SMALL+TRACE | DRAM+L1_SMALL+TRACE | DRAM+L1+TRACE | DRAM+L1+L1_SMALL] on 0;
                close; checked
                = INCONCLUSIVE
            needs a snapshot of L1 of a sub-device that had memory
                mesh 0 over 0; allocate L1 0x1000 on 0, owning, mesh 0, allocator SUB_DEVICE 0 of 0;
                stopped the server was down; started; free L1 0x1000 on 0, owning, mesh 0, allocator SUB_DEVICE 0 of 0;
                closing; witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator MESH;
                witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator DEVICE;
                witness CLOSE_BEGUN [L1 | DRAM] on 0, allocator SUB_DEVICE 0 of 0; close; checked
                = [LEAK_FREE | INCONCLUSIVE]
            is not excused by the close of one of two meshes
                mesh 0 over 0; mesh 1 in 0 over 0; stopped the server was down; started;
                [witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator MESH, mesh 1; | |
                witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0, allocator MESH, mesh 1;] close 1;
                [ | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0; | witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0;]
                close 0; checked
                = [INCONCLUSIVE | INCONCLUSIVE | LEAK_FREE]
            is not excused by a later mesh of the same number
                mesh 0 over 0; stopped the server was down; started; closing; close; mesh 0 over 0; closing;
                witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0; close; checked
                = INCONCLUSIVE
            matters while a mesh is open though nothing is live and tracking stays off
                mesh 0 over 0; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; stopped the server was down; closing;
                close; checked
                = INCONCLUSIVE
            is not excused by a snapshot where memory belongs to no device
                mesh 0 over 0; allocate SYSTEM_MEMORY 1 on none; free SYSTEM_MEMORY 1 on none;
                stopped the server was down; started; closing; witness CLOSE_BEGUN DRAM+L1+L1_SMALL+TRACE on 0; close;
                checked
                = INCONCLUSIVE
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
