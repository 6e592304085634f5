package dev.meshguard.verdict;

/** The holder of a buffer explains why it survived, but does not prove that it did. */
class HeldAndLostTests {

    @Stories("""
            says that nobody knows what holds it
                allocate DRAM 0x1000 on 0; handle held
                = HELD LEAKED
                because its handle is still reachable, but from none of the objects that were searched ({handle traced})
            names a buffer that nobody can free any more
                allocate DRAM 0x1000 on 0; handle lost
                = LOST LEAKED
                because no handle to it is reachable any more, and no free of it was reported ({handle traced})
            names memory that only the collector frees
                allocate DRAM 0x1000 on 0, collectable; handle lost
                = LOST LEAKED
                because no handle to it is reachable any more, and only the garbage collector frees it, at a moment that
                    nobody chooses ({handle traced})
                fix Free the buffer where its use ends, or expect it with a reason: the collector does not see how much
                    memory it holds.
            waits for no handle of the runtime nor of an owner that ended
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0, [of program 7;
                end program 7 | lifetime SYSTEM | of program 7; end program 8]
                = [LOST | LOST | UNEXPLAINED] LEAKED
            names the path that holds the handle
                mesh 0 over 0; allocate DRAM 0x1000 on 0; handle held by KvCacheTest.cache -> ArrayList[0];
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = HELD LEAKED
                because still referenced by KvCacheTest.cache -> ArrayList[0] ({handle traced})
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
            promises no free of memory that another request holds too
                // The collector frees one of them and not the other.
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0, collectable; handle lost
                = LOST LEAKED
                because no handle to it is reachable any more, and no free of it was reported ({handle traced 1})
                because 2 reports of that address are open, the last one of {last allocated} (64 B), at …
            claims nothing where [collection could not be forced | one of several handles was not looked for]
                allocate DRAM 0x1000 on 0; handle [unknown | lost; allocate DRAM 0x1000 on 0]
                = UNEXPLAINED LEAKED
            never outranks a proof that the memory is free
                mesh 0 over 0; allocate DRAM 0x1000 on 0; handle held by KvCacheTest.cache -> ArrayList[0];
                witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
            never makes a leak of a freed buffer
                allocate DRAM 0x1000 on 0; handle held by KvCacheTest.cache -> ArrayList[0]; free DRAM 0x1000 on 0
                = LEAK_FREE
            names the shortest of several paths
                allocate DRAM 0x1000 on 0; handle held; allocate DRAM 0x1000 on 0;
                handle held by KvCacheTest.model -> Model.weights -> ArrayList[12]; allocate DRAM 0x1000 on 0;
                handle held by KvCacheTest.cache -> ArrayList[0]
                = HELD LEAKED
                because still referenced by KvCacheTest.cache -> ArrayList[0] ({last handle traced})
                because 3 reports of that address are open, the last one of {last allocated} (64 B), at …
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
