package dev.meshguard.verdict;

/** The owner of an open report is still cached. */
class CachedTests {

    @Stories("""
            names the cache that keeps [a program | a trace]
                allocate DRAM 0x3ffff800 on 0, size 12288, of [program 7 | trace 0]; cached [program 7 | trace 0]
                = CACHED LEAKED
                because [program 7 | trace 0] has been in the program cache since {owner cached} and never left it
            is not named [when the owner left the cache | for an owner in no cache | for a buffer without owner]
                allocate DRAM 0x1000 on 0[, of program 7 | , of program 7 | ]; cached program [7; end program 7 | 8 | 7]
                = UNEXPLAINED LEAKED
            is not named for an owner whose report was freed
                allocate DRAM 0x1000 on 0, of program 7; allocate DRAM 0x1000 on 0; cached program 7;
                free DRAM 0x1000 on 0, of program 7
                = UNEXPLAINED LEAKED
            gives way to the witness that calls the memory free
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; cached program 7; witness CLOSE_BEGUN DRAM on 0;
                close
                = FREE_UNREPORTED MISREPORTED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
