package dev.meshguard.verdict;

/** Memory of the runtime itself. */
class SystemBufferTests {

    @Stories("""
            is red when system memory outlives the close
                mesh 0 over 0; allocate L1 0x1000 on 0, lifetime SYSTEM, of dispatch prefetcher;
                witness BEFORE_WIPE L1 on 0: 0x1000; close
                = LEAKED, SYSTEM LEAKED
                because owned by dispatch "prefetcher", lifetime SYSTEM: the runtime has to free it at close
                because the allocator reported 0x1000 (4096) as allocated before the allocators were wiped ({witnessed})
                fix Free it where its owner shuts down, or expect it with a reason.
            is expected when it is persistent
                mesh 0 over 0; allocate L1 0x1000 on 0, lifetime PERSISTENT, of dispatch prefetcher;
                witness BEFORE_WIPE L1 on 0: 0x1000; close
                = EXPECTED_ONLY, SYSTEM EXPECTED
                because owned by dispatch "prefetcher", lifetime PERSISTENT: it may outlive the close
            says when nobody named the owner
                allocate L1 0x1000 on 0, lifetime SYSTEM
                = SYSTEM LEAKED
                because owned by an owner that was not named, lifetime SYSTEM: the runtime has to free it at close
            is not named for the user's memory whoever owns it
                allocate L1 0x1000 on 0, of dispatch prefetcher
                = UNEXPLAINED LEAKED
            goes before what happened on other devices
                allocate L1 0x1000 on 0..3, lifetime SYSTEM, view; free L1 0x1000 on 0..2, view
                = SYSTEM LEAKED
            leaves what a cache keeps to the cache
                allocate L1 0x1000 on 0, lifetime SYSTEM, of program 7; cached program 7
                = CACHED LEAKED
            is not excused because it was free when close began only
                mesh 0 over 0; allocate L1 0x1000 on 0, lifetime SYSTEM; witness CLOSE_BEGUN L1 on 0; close
                = SYSTEM LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
