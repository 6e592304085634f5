package dev.meshguard.verdict;

/** A process that has exited frees nothing. */
class ProcessDiedTests {

    @Stories("""
            names a buffer whose process ended
                allocate DRAM 0x1000 on 0, process 4711; died 4711
                = LEAKED, PROCESS_DIED LEAKED
                because process 4711 allocated it ({allocated}) and ended ({process died}) without freeing it
            does not blame [a process that lives | a later process of the same number | one of two that share a buffer]
                [allocate DRAM 0x1000 on 0, process 4711; died 4712 | died 4711; allocate DRAM 0x1000 on 0, process 4711
                | allocate DRAM 0x1000 on 0, process 1; allocate DRAM 0x1000 on 0, process 2; died 1]
                = UNEXPLAINED LEAKED
            goes before everything else
                mesh 0 over 0; allocate DRAM 0x1000 on 0, process 4711; handle held; died 4711;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = PROCESS_DIED LEAKED
            waits for no close of a mesh where only the dead were
                mesh 0 over 0; mesh 1 over 1; allocate DRAM 0x1000 on 0, process 4711;
                allocate DRAM 0x1000 on 1, process 4712; died 4711
                = causes PROCESS_DIED UNEXPLAINED
                inconclusive Mesh 1 (mesh 1) is still open, so its buffers may still be freed. Close it before the
                    check.
            waits for the close of a mesh where somebody may still live
                mesh 0 over 0; allocate DRAM 0x1000 on 0, process 4711; allocate DRAM 0x2000 on 0; died 4711
                inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the
                    check.
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
