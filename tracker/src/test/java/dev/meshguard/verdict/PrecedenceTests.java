package dev.meshguard.verdict;

/** If several causes have proof, the order of {@link Cause} decides; if facts are missing, there are fewer causes. */
class PrecedenceTests {

    @Stories("""
            names two reports of one allocation first
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, lifetime SYSTEM, of program 7, view, again NON_OWNING;
                cached program 7; free DRAM 0x1000 on 0..2, of program 7, view;
                free DRAM 0x1000 on 0..2, of program 7, view; free DRAM 0x1000 on 3, of program 7, view;
                witness BEFORE_WIPE DRAM on 0..3; close
                = REPORTED_TWICE MISREPORTED
            names a missing report of a free second
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, lifetime SYSTEM, of program 7, view, again NON_OWNING;
                cached program 7; free DRAM 0x1000 on 0..2, of program 7, view;
                free DRAM 0x1000 on 0..2, of program 7, view; witness BEFORE_WIPE DRAM on 0..3; close
                = FREE_UNREPORTED MISREPORTED
            names an ended program before other devices
                allocate L1 101152 on 0..3, size 4096, circular buffer of program 7;
                free L1 101152 on 0..2, circular buffer of program 7; end program 7
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
            names no other cause where nothing but addresses is known
                // The same generation without owners and origins, and without a witness: a server's log.
                without origins; mesh 0 without 0..3; allocate DRAM 0x1000 on 0..3; allocate DRAM 0x1000 on 0..3;
                free DRAM 0x1000 on 0..2; free DRAM 0x1000 on 0..2; free DRAM 0x1000 on 3; close without devices
                = LEAKED, UNEXPLAINED LEAKED
                because reported twice, freed once
            names no cause for a servers circular buffers
                without origins; allocate L1 101152 on 0, size 4096; end program 7
                = UNEXPLAINED UNDECIDED
            uses the witness where nothing else is known
                without origins; mesh 0 without 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0;
                witness CLOSE_BEGUN DRAM on 0: 0x2000; close without devices
                = causes FREE_UNREPORTED UNEXPLAINED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
