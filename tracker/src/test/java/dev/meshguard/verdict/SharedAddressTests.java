package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.BufferGeneration;
import org.junit.jupiter.api.Test;

/**
 * The allocator of a mesh and those of its devices use the same addresses, so two buffers may survive at one. Neither
 * hides the other, and neither is blamed for it.
 */
class SharedAddressTests {

    @Stories("""
            a leak does not hide behind a persistent buffer
                mesh 0 over 0; allocate DRAM 4096 on 0, of dispatch ring, lifetime PERSISTENT, view;
                allocate DRAM 4096 on 0, owning; witness CLOSE_BEGUN DRAM on 0: 4096; close
                = UNEXPLAINED LEAKED
            the runtime is not blamed for a leak at the address of its buffer
                mesh 0 over 0; allocate DRAM 4096 on 0, of dispatch ring, lifetime SYSTEM, view;
                allocate DRAM 4096 on 0, owning; witness CLOSE_BEGUN DRAM on 0: 4096;
                free DRAM 4096 on 0, of dispatch ring, view; witness BEFORE_WIPE DRAM on 0: 4096; close
                = UNEXPLAINED LEAKED
            a buffer of the runtime alone is still its own
                mesh 0 over 0; allocate DRAM 4096 on 0, of dispatch ring, lifetime SYSTEM, view;
                allocate DRAM 4096 on 0, owning; free DRAM 4096 on 0, owning; close
                = SYSTEM LEAKED
            no witness says that a circular buffer is gone
                mesh 0 over 0; allocate L1 4096 on 0; allocate L1 4096 on 0, circular buffer of program 1;
                free L1 4096 on 0; witness CLOSE_BEGUN L1 on 0; close
                = UNEXPLAINED LEAKED
            a circular buffer is named where the witness says that the buffer at its address is gone
                mesh 0 over 0; allocate L1 4096 on 0; allocate L1 4096 on 0, circular buffer of program 1;
                free L1 4096 on 0; end program 1; witness CLOSE_BEGUN L1 on 0; close
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
            a leak does not hide behind an expected buffer
                mesh 0 over 0; allocate DRAM 4096 on 0, label weights, view;
                allocate DRAM 4096 on 0, size 128, label cache, owning; close
                expecting [label "weights" | DRAM]
                = [LEAKED | EXPECTED_ONLY]
            a leak does not hide behind an expected buffer that is gone
                mesh 0 over 0; allocate DRAM 4096 on 0, label weights, view;
                allocate DRAM 4096 on 0, size 128, label cache, owning; free DRAM 4096 on 0, label weights, view; close
                expecting [label "weights" | size 64 | label "cache" size 128]
                = [LEAKED | LEAKED | EXPECTED_ONLY]
            circular buffers that share an address by nature are expected by the first
                mesh 0 over 0; allocate L1 4096 on 0, circular buffer of program 1;
                allocate L1 4096 on 0, size 128, circular buffer of program 2; close
                expecting [size 64 owner "1" | size 128]
                = [EXPECTED_ONLY | LEAKED]
            where several are left the last is named too
                mesh 0 over 0; allocate DRAM 4096 on 0, label weights, view;
                allocate DRAM 4096 on 0, size 128, label cache, owning; close
                because no free was reported
                because 2 reports of that address are open, the last one of {last allocated} (128 B), at
                    dev.example.HistoryTests.story(HistoryTests.java:3)
            one late release does not excuse two buffers and a late release of each makes both late
                mesh 0 over 0; allocate DRAM 4096 on 0, label weights, view;
                allocate DRAM 4096 on 0, size 128, label cache, owning; witness CLOSE_BEGUN DRAM on 0: 4096; close;
                ignore DRAM 4096 on 0, DEVICE_CLOSED[ | ; ignore DRAM 4096 on 0, DEVICE_CLOSED]
                = [UNEXPLAINED LEAKED | LATE FREED_LATE]
            of several requests of one allocator only the last may hold the address
                mesh 0 over 0..1; mesh 1 without 0..1; allocate DRAM 0x1000 on 0..1, lifetime SYSTEM, view, mesh 0;
                allocate DRAM 0x1000 on 0..1, mesh 0, view; witness CLOSE_BEGUN DRAM on 0..1; close
                = causes FREE_UNREPORTED FREE_UNREPORTED
            of several requests of which the last is an owner or of a device either may hold the address
                mesh 0 over 0..1; mesh 1 without 0..1; allocate DRAM 0x1000 on 0..1, lifetime SYSTEM, view, mesh 0;
                allocate DRAM 0x1000 on [0..1, mesh 0, owning | 0, mesh 0, view]; witness CLOSE_BEGUN DRAM on 0..1;
                close
                = causes UNEXPLAINED [UNEXPLAINED | SYSTEM]
            of several requests of which the first is of a device either may hold the address
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0, lifetime SYSTEM, view, mesh 0;
                allocate DRAM 0x1000 on 0..1, view, mesh 0; witness CLOSE_BEGUN DRAM on 0..1; close
                = causes UNEXPLAINED FREE_UNREPORTED
            of several requests of which the last is of a circular buffer no reading says that it is free
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, lifetime SYSTEM, view, mesh 0;
                allocate DRAM 0x1000 on 0..1, circular buffer of program 7, view, mesh 0;
                witness CLOSE_BEGUN DRAM on 0..1; close
                because no free was reported
                because 2 reports of that address are open, the last one of {allocated 3} (64 B), at …
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void whatIsLeftIsNamedAndNotWhatWasFreed() {
        BufferGeneration left = historyOf("""
                allocate DRAM 4096 on 0, label weights, view; allocate DRAM 4096 on 0, size 128, label cache, owning;
                free DRAM 4096 on 0, view
                """).live().get(0);

        assertThat(left.label()).contains("cache");
        assertThat(left.origin()).isEqualTo(left.reports().get(1).request().origin());
    }
}
