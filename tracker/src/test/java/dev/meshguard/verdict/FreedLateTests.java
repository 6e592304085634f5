package dev.meshguard.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A free after the close of the allocator began is late. */
class FreedLateTests {

    @Stories("""
            is a free [that is reported after the close | that the closed device ignored]
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; close;
                [free DRAM 0x1000 on 0 | ignore DRAM 0x1000 on 0, DEVICE_CLOSED]
                = FREED_LATE, LATE FREED_LATE, not leak free, balanced
                because [freed at {freed} | its handle was released at {free ignored}], after close began ({mesh closing}), at …
                sum 1 allocated, 1 freed late
            is of the last request if the allocator reserved the address twice
                mesh 0 over 0; allocate DRAM 0x1000 on 0, allocator MESH; allocate DRAM 0x1000 on 0, allocator MESH;
                close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = causes FREE_UNREPORTED LATE
            is a free between the beginning of the close and its end
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; free DRAM 0x1000 on 0; close
                = LATE FREED_LATE
            is no report that comes late of a free that did not
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; witness CLOSE_BEGUN DRAM on 0; close;
                free DRAM 0x1000 on 0
                = LEAK_FREE
            is no second report of what was freed before
                mesh 0 over 0; allocate DRAM 0x1000 on 0, again NON_OWNING; free DRAM 0x1000 on 0; closing; close;
                free DRAM 0x1000 on 0
                = LEAK_FREE
            is not named for a persistent buffer freed after the check
                mesh 0 over 0; allocate DRAM 0x1000 on 0, lifetime PERSISTENT; closing; close; checked;
                free DRAM 0x1000 on 0, lifetime PERSISTENT
                = EXPECTED_ONLY
            is not what the runtime frees at the close or later
                mesh 0 over 0; allocate DRAM 0x1000 on 0, lifetime [SYSTEM | PERSISTENT]; closing; close;
                free DRAM 0x1000 on 0, lifetime [SYSTEM | PERSISTENT]
                = LEAK_FREE
            is no circular buffer whose program ends after the close
                mesh 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 7; closing; close;
                free L1 0x1000 on 0, circular buffer of program 7
                = LEAK_FREE
            is [no binary of a program that goes with the cache of the mesh | that of one that the code under test ends]
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; [cached program 7; | ] closing; close; end program 7;
                free DRAM 0x1000 on 0, of program 7
                = [LEAK_FREE | LATE FREED_LATE]
            is not what the collector freed[ | , also where the closed device ignored it]
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; close;
                [free DRAM 0x1000 on 0, collected | ignore DRAM 0x1000 on 0, DEVICE_CLOSED, collected]
                = LEAKED, LOST LEAKED
                because no call freed it: its handle was collected at [{freed}, after close began ({mesh closing})
                    | {free ignored}, when it should have been freed already]
                sum 1 allocated, 1 leaked
            ranks below a leak
                mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0; closing; close;
                free DRAM 0x1000 on 0
                = LEAKED, causes LATE UNEXPLAINED, statuses FREED_LATE LEAKED
            may be expected like what stays
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; close; free DRAM 0x1000 on 0
                expecting count exactly 1
                = EXPECTED_ONLY
                sum 1 allocated, 1 expected
            is measured by the close of the mesh that allocated it
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..1, mesh 1; close 1;
                free DRAM 0x1000 on 0..1, mesh 1; close 0
                = LATE FREED_LATE
                because freed at {freed 1}, after the close of mesh 1 began ({mesh closing 1}), at …
            is not measured by the close of a submesh where [the parent allocated it | the mesh is unknown]
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on [0..3, mesh 0 | 0..1]; close 1;
                free DRAM 0x1000 on [0..3, mesh 0 | 0..1]; close 0
                = LEAK_FREE
            is measured by the close of the last mesh over the device where the device allocated it
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0, allocator DEVICE; close 1;
                [free DRAM 0x1000 on 0, allocator DEVICE; close 0 | close 0; free DRAM 0x1000 on 0, allocator DEVICE]
                = [LEAK_FREE | LATE FREED_LATE]
            is measured by the close of its mesh while a submesh keeps the device open
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0, mesh 0; close 0;
                free DRAM 0x1000 on 0, mesh 0; close 1
                = LATE FREED_LATE
            is no free on a later mesh with the same number
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; close; mesh 0 over 0; free DRAM 0x1000 on 0, mesh 0;
                close
                = UNEXPLAINED LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void ranksAboveMisreportedAndBelowInconclusive() {
        assertThat(Outcome.values())
                .containsExactly(
                        Outcome.LEAK_FREE,
                        Outcome.EXPECTED_ONLY,
                        Outcome.STALE_EXPECTATION,
                        Outcome.OVERWRITTEN,
                        Outcome.MISREPORTED,
                        Outcome.FREED_LATE,
                        Outcome.INCONCLUSIVE,
                        Outcome.LEAKED);
    }
}
