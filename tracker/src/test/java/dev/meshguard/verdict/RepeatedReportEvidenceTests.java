package dev.meshguard.verdict;

/** An address that was reported more than once, or allocated over a part of a live buffer, is explained by proof. */
class RepeatedReportEvidenceTests {

    @Stories("""
            a buffer from before its device was opened again explains no memory
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0; close; mesh 0 over 0;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = INCONCLUSIVE, FREE_UNREPORTED MISREPORTED
            a larger size at an address is no view
                allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 128; free DRAM 0x1000 on 0
                because reported twice, freed once
                because the address was allocated again at {last allocated}, for 128 B instead of 64 B: the free of what
                    {allocated 1} reported got lost, or another allocator over the device holds it too
            several allocators allocate the same addresses
                mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 128; free DRAM 0x1000 on 0;
                close
                because reported twice, freed once
            an address that one request reports twice is not reused
                allocate DRAM 0x1000 on 0, owning, again OWNING
                because no free was reported
            an address may be reused where requests cannot be distinguished
                without origins; allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 0, owning
                because no free was reported
                because the address was allocated again at {last allocated}: the free of what {allocated 1} reported got
                    lost, or another allocator over the device holds it too
            overlaps [with memory that the witness holds twice are true | are not called true where it holds one of the two]
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 0x1000; allocate DRAM 0x1800 on 0;
                free DRAM 0x1800 on 0; witness CLOSE_BEGUN DRAM on 0: [0x1000 0x1800 | 0x1000]; close
                = UNEXPLAINED LEAKED
                because no free was reported
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
                because 64 B at 0x1800 (6144) was allocated over a part of it ({last allocated})[, and the allocator
                    held both: a true overlap | ]
            an address that is reused lost a free
                allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 0, owning
                = UNEXPLAINED LEAKED
                because no free was reported
                because the address was allocated again at {last allocated}: the free of what {allocated 1} reported got
                    lost, or another allocator over the device holds it too
                because 2 reports of that address are open, the last one of {last allocated} (64 B), at
                    dev.example.HistoryTests.story(HistoryTests.java:2)
            a size that is no larger may be a view
                allocate DRAM 0x1000 on 0, size [64 | 128]; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                because reported twice, freed once
            the last of several open reports is named
                allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 32
                because no free was reported
                because 3 reports of that address are open, the last one of {last allocated} (32 B), at
                    dev.example.HistoryTests.story(HistoryTests.java:3)
            a circular buffer at the address is not allocated by the allocator
                allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 0, circular buffer of program 7, owning
                because no free was reported
                because 2 reports of that address are open, the last one of {last allocated} (64 B), at
                    dev.example.HistoryTests.story(HistoryTests.java:2)
            what is destroyed when nothing is reported any more says so
                mesh 0 over 0; allocate DRAM 0x1000 on 0; stopped the runtime shut its tracker down;
                witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
                because tracking was off from {tracking stopped} on: the runtime shut its tracker down
            overlaps with memory that the witness calls free show when it went
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 0x1000; allocate DRAM 0x1800 on 0;
                free DRAM 0x1800 on 0; witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
                because 64 B at 0x1800 (6144) was allocated over a part of it ({last allocated}), so it had been
                    freed by then
            overlaps that no witness saw stay open
                allocate DRAM 0x1000 on 0, size 0x1000; allocate DRAM 0x1800 on 0; free DRAM 0x1800 on 0
                = UNEXPLAINED LEAKED
                because no free was reported
                because 64 B at 0x1800 (6144) was allocated over a part of it ({last allocated}), so one of the two
                    had been freed, and no witness shows which
            overlaps of neighbours are none
                allocate DRAM 0x1000 on 0, size 0x800; allocate DRAM 0x1800 on 0; free DRAM 0x1800 on 0
                because no free was reported
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
