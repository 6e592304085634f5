package dev.meshguard.verdict;

import dev.meshguard.event.CircularBufferBase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A source that reports only device, memory, address, size and process, as a server's log does. */
class BareReportsTests {

    @Stories("""
            the inconclusive reason says what would decide it
                without origins; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0
                = INCONCLUSIVE
                inconclusive The reports of 1 buffer fit a leak as well as freed memory; the first is DRAM 0x1000 (4096)
                    on device 0, generation 1. A reading of the allocators when the close begins would decide it, or a
                    source that names the owner and the kind of each buffer.
            two reports in a row and one free leave it undecided
                without origins; allocate DRAM 1073739776 on 0, size 12288, process 7;
                allocate DRAM 1073739776 on 0, size 12288, process 7; free DRAM 1073739776 on 0, process 7
                = INCONCLUSIVE
                because it was reported twice in a row ({allocated 1 and 2}) and not freed as often: one report may be
                    of a view, whose end need not be reported
            two reports with others between them and one free are a leak
                without origins; allocate DRAM 0x1000 on 0..1, process 7; allocate DRAM 0x1000 on 0..1, process 7;
                free DRAM 0x1000 on 0..1, process 7
                = LEAKED
            a later free of the address that found nothing on another device leaves it undecided
                without origins; allocate DRAM 0x1000 on 0, process 7; free DRAM 0x1000 on 3, process 7
                = statuses UNDECIDED
                because a free of this address on device 3 found nothing there ({freed}): it may be this buffer's,
                    reported under another device
            a free that found nothing before or elsewhere or in other memory decides nothing
                without origins; free DRAM 0x1000 on 3, process 7; allocate DRAM 0x1000 on 0, process 7;
                free DRAM 0x2000 on 3, process 7; free L1 0x1000 on 3, process 7
                = LEAKED, statuses LEAKED
            a free that found nothing right before the report leaves it undecided
                without origins; free DRAM 0x1000 on 0, process 7; allocate DRAM 0x1000 on 0, process 7
                = statuses UNDECIDED
                because a free of it found nothing ({freed}) before it was reported ({allocated}): the free may have
                    overtaken the report
            a free of nothing before another generation of the address decides nothing
                without origins; free DRAM 0x1000 on 0, process 7; allocate DRAM 0x1000 on 0, process 7;
                free DRAM 0x1000 on 0, process 7; allocate DRAM 0x1000 on 0, process 7
                = LEAKED
            what lies above a gap is not of the stack
                without origins; allocate L1 101152 on 0, size 4096; allocate L1 0x1ab20 on 0, size 4096;
                allocate L1 0x19b20 on 1, size 4096
                = statuses UNDECIDED LEAKED LEAKED
            there is no stack [of DRAM at that address | where the base is not known]
                without origins; allocate [DRAM 101152 on 0, size 4096
                | L1 101184 on 0, size 4096; allocate L1 105280 on 0, size 4096]
                = statuses [LEAKED | LEAKED LEAKED]
            a source that says more is judged by that
                [without origins; | without origins; | without origins;
                | ] allocate L1 101152 on 0, size 4096[, of program 7 | , label ring | , owning | ]
                = statuses LEAKED
            a witness decides
                without origins; mesh 0 without 0; allocate L1 101152 on 0, size 4096;
                witness CLOSE_BEGUN L1 on 0: 101152; close without devices
                = statuses LEAKED
            several open reports of one address leave it undecided even where the process died
                without origins; allocate DRAM 0x1000 on 0, process 7; allocate DRAM 0x2000 on 0, process 7;
                allocate DRAM 0x1000 on 0, process 7; died 7
                = LEAKED, statuses UNDECIDED LEAKED, causes UNEXPLAINED PROCESS_DIED, reasons REPORTS_FIT_BOTH
                because 2 reports of this address are open, and an allocator does not allocate an address twice: some
                    are of a view or a circular buffer, or a free is missing (the last report is {last allocated})
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @ParameterizedTest
    @EnumSource(CircularBufferBase.class)
    void aStackOfL1WithoutGapsFromAKnownBaseIsUndecided(CircularBufferBase base) {
        long address = base.address();
        Story.of("""
                is undecided
                    without origins; allocate L1 %d on 0, size 100, process 7; allocate L1 %d on 0, size 4096, process 7;
                    allocate L1 %d on 0, process 7; died 7
                    = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                """.formatted(address + 4_096, address, address + 4_096 + 128)).forEach(Story::holds);
    }
}
