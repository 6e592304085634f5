package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Origin;
import org.junit.jupiter.api.Test;

/**
 * Buffers that disappear with another one are consequences, and facts about siblings are reported beside the cause.
 */
class RootTests {

    @Stories("""
            eight device buffers of one mesh buffer are one leak
                allocate DRAM 0x1000 on 0..7, view
                = no consequences
                leak UNEXPLAINED (leaked): DRAM 64 B x 8 on devices [0, 1, 2, 3, 4, 5, 6, 7]
            a program's binary and circular buffers are one leak of the program
                allocate L1 0x1000 on 0..1, size 32, circular buffer of program 7;
                allocate DRAM 0x2000 on 0..1, of program 7; cached program 7
                leak CACHED (leaked): DRAM 64 B x 2 on devices [0, 1], in all 4 buffers, 192 B
                consequence CACHED (leaked): L1 32 B x 2 on devices [0, 1]
            a trace and what was allocated for it are one leak of the trace
                allocate DRAM 0x2000 on 0..1, of trace 3; allocate TRACE 0x9000 on 0..1, size 1024, of trace 3;
                cached trace 3
                leak CACHED (leaked): TRACE 1024 B x 2 on devices [0, 1], in all 4 buffers, 2176 B
                consequence CACHED (leaked): DRAM 64 B x 2 on devices [0, 1]
            what a workload left that was never closed is one leak
                // The buffers differ in size and have one origin.
                mesh 0 over 0; allocate L1 0x1000 on 0, size 32, circular buffer of program 1;
                allocate L1 0x2000 on 0, size 64, circular buffer of program 2, same line
                leak UNEXPLAINED (undecided): L1 32 B x 1 on devices [0], in all 2 buffers, 96 B
                consequence UNEXPLAINED (undecided): L1 64 B x 1 on devices [0]
            what two programs left [that ended | in a cache] is two leaks
                mesh 0 over 0; allocate L1 0x1000 on 0, size 32, circular buffer of program 1;
                allocate L1 0x2000 on 0, size 64, circular buffer of program 2, same line;
                [end program 1; end program 2 | cached program 1; cached program 2]; close
                = leaks 2, [CIRCULAR_BUFFER_UNREPORTED MISREPORTED | CACHED LEAKED]
            a cached buffer with another open report shows the count of its address
                allocate DRAM 0x1000 on 0, of program 1; cached program 1; allocate DRAM 0x1000 on 0
                = leaks 1, CACHED LEAKED
                circumstance at 0x1000 (4096) on device 0: allocated 2 times, freed 0 times
            what counts differently is no consequence
                mesh 0 over 0; allocate DRAM 0x2000 on 0, of program 7;
                allocate L1 0x1000 on 0, size 32, circular buffer of program 7; end program 7; close
                = leaks 2, statuses LEAKED MISREPORTED
            what belongs to an owner that is never kept is no consequence
                allocate DRAM 0x1000 on 0, of command-queue 0; allocate L1 0x2000 on 0, of command-queue 0
                = leaks 2
            distinguishes requests without an origin
                without origins; allocate DRAM 0x1000 on 0, of program 1; allocate DRAM 0x2000 on 0, of program 2
                = leaks 2
            of two that weigh alike the older is the root
                allocate DRAM 0x1000 on 0, of program 7; allocate DRAM 0x2000 on 0, size 32, of program 7;
                cached program 7
                leak CACHED (leaked): DRAM 64 B x 1 on devices [0], in all 2 buffers, 96 B
                consequence CACHED (leaked): DRAM 32 B x 1 on devices [0]
            the oldest consequence is first however many other leaks lie between
                allocate DRAM 0x1000 on 0, of program 7; allocate DRAM 0x2000 on 0;
                allocate DRAM 0x3000 on 0, of program 7; allocate DRAM 0x4000..0x11000 on 0;
                allocate DRAM 0x20000 on 0, size 32, of program 7; cached program 7
                consequence CACHED (leaked): DRAM 64 B x 1 on devices [0]
                consequence CACHED (leaked): DRAM 32 B x 1 on devices [0]
            devices [that kept everything | of which only the reports are missing] are not called alike
                [ | mesh 0 over 0..1;] allocate DRAM 0x1000 on 0..1[ | ; witness CLOSE_BEGUN DRAM on 0..1; close]
                = leaks 1, no circumstances
            one report of an address is not counted
                allocate L1 0x1000 on 0, circular buffer of program 1; end program 1
                = leaks 1, no circumstances
            siblings are named with the phase in which they died
                phase TEST; allocate DRAM 0x1000..0x3000 on 0; phase TEARDOWN; free DRAM 0x1000..0x2000 on 0
                circumstance 2 of 3 buffers from this line were freed, in TEARDOWN; this one was first passed over at
                    {freed 1}
            siblings that were freed before its allocation are reported as earlier
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0, same line
                circumstance 1 of 2 buffers from this line were freed, in START, before this one was allocated
            siblings are alike on all devices
                allocate DRAM 0x1000 on 0..3, each; allocate DRAM 0x2000 on 0..3, each, same line;
                free DRAM 0x1000 on 0..3
                circumstance 4 of 8 buffers from this line were freed, in START; these were first passed over at {freed
                    1}
                circumstance all 4 devices are alike: each allocated 2 and freed 1
            siblings are none without origins
                without origins; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0
                = leaks 1, no circumstances
            siblings are none of a request with an empty stack
                allocate DRAM 0x1000..0x2000 on 0, without frames; free DRAM 0x1000 on 0;
                allocate DRAM 0x3000 on 0, without frames
                = leaks 2, no circumstances
            siblings are counted by address where the cause does not say it
                allocate L1 0x1000 on 0, circular buffer of program 1;
                allocate L1 0x1000 on 0, circular buffer of program 2; end program 1; end program 2
                circumstance at 0x1000 (4096) on device 0: allocated 2 times, freed 0 times
            three phases are named
                allocate DRAM 0x1000..0x4000 on 0; phase A; free DRAM 0x1000 on 0; phase B; free DRAM 0x2000 on 0;
                phase C; free DRAM 0x3000 on 0
                circumstance 3 of 4 buffers from this line were freed, 1 in A, 1 in B, 1 in C; …
            of more phases the number is named
                allocate DRAM 0x1000..0x6000 on 0; phase A; free DRAM 0x1000 on 0; phase B; free DRAM 0x2000 on 0;
                phase C; free DRAM 0x3000 on 0; phase D; free DRAM 0x4000 on 0; phase E; free DRAM 0x5000 on 0
                circumstance 5 of 6 buffers from this line were freed, 1 in A, 1 in B, 1 in C and others in 2 more
                    phases; …
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void aLeakShowsThePlaceOfItsOldestIfThereIsOne() {
        assertThat(LeakCheck.create()
                        .examine(historyOf("allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0, without frames"))
                        .groups())
                .extracting(leak -> leak.origin().map(Origin::toString).orElse("nowhere"))
                .containsExactly("dev.example.HistoryTests.story(HistoryTests.java:1)", "nowhere");
    }
}
