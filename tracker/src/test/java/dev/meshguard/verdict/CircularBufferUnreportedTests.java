package dev.meshguard.verdict;

/** Every program with an open report has ended. */
class CircularBufferUnreportedTests {

    @Stories("""
            names the program that ended[ | , beside one that lives | , though a witness holds the address]
                [ | | mesh 0 over 0;] allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                [ | allocate L1 101152 on 0, size 4096, circular buffer of program 8; | ] end program 7
                [ | ; free L1 101152 on 0, circular buffer of program 8 | ; witness CLOSE_BEGUN L1 on 0: 101152; close]
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
                because program 7 ended at {owner ended}, and its free was never reported
                because circular buffers lie outside the allocator, so closing the device cannot free it
            names both programs that used the address
                allocate L1 109344 on 0, size 4096, circular buffer of program 7;
                allocate L1 109344 on 0, size 2048, circular buffer of program 8; end program 7; end program 8
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
                because program 7 ended at {owner ended 1}, program 8 ended at {last owner ended}, and its free was
                    never reported
                because circular buffers lie outside the allocator, so closing the device cannot free it
            is not named while the program is alive
                allocate L1 101152 on 0, size 4096, circular buffer of program 7; end program 8
                = UNEXPLAINED LEAKED
            is not named while one of two programs is alive[ | , and the one free is nobody's | , and the one free is of another]
                allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                allocate L1 101152 on 0, size 4096, circular buffer of program 8; end program 7
                [ | ; free L1 101152 on 0 | ; free L1 101152 on 0, circular buffer of program 9]
                = UNEXPLAINED LEAKED
            is not named for a report after the end of the program
                end program 7; allocate L1 101152 on 0, size 4096, circular buffer of program 7
                = UNEXPLAINED UNDECIDED
            is not named for a buffer of the allocator[ | , nor while it has the address of a circular buffer]
                [ | allocate L1 101152 on 0, size 4096, circular buffer of program 7;]
                allocate L1 101152 on 0, size 4096, of program 7; end program 7
                = UNEXPLAINED LEAKED
            is not named for a life that began as a buffer of the allocator
                allocate L1 101152 on 0, size 4096; allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                end program 7; free L1 101152 on 0
                = UNEXPLAINED LEAKED
            leaves the buffer of a program in the cache to the cache
                allocate L1 101152 on 0, size 4096, circular buffer of program 7; cached program 7
                = CACHED LEAKED
            is named for a buffer whose program ended right afterwards
                mesh 0 over 0; allocate L1 101152 on 0, size 4096, circular buffer of program 7; end program 7;
                witness CLOSE_BEGUN L1 on 0; close
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
                because program 7 ended at {owner ended}, and its free was never reported
                because circular buffers lie outside the allocator, so closing the device cannot free it (the allocator
                    held nothing there at {witnessed})
            says that the device stands for its whole mesh
                mesh 0 without 0..1, busiest 1; allocate L1 101152 on 1, circular buffer of program 7; end program 7;
                close without devices
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
                because program 7 ended at {owner ended}, and its free was never reported
                because circular buffers lie outside the allocator, so closing the device cannot free it
                because it shows on device 1 only because this source reports circular buffers of the whole mesh under
                    that device
            says nothing of a device that stands for itself only
                mesh 0 without [0..1, busiest 1 | 0, busiest 0]; allocate L1 101152 on 0, circular buffer of program 7;
                end program 7; close without devices
                because program 7 ended at {owner ended}, and its free was never reported
                because circular buffers lie outside the allocator, so closing the device cannot free it
            is not named for the end of a program of the same name on a device opened again
                // Two runtimes that use one tracker in turn number their programs alike.
                mesh 0 over 0; allocate L1 101152 on 0, size 4096, circular buffer of program 1, owning; close;
                mesh 0 over 0; allocate L1 105248 on 0, size 4096, circular buffer of program 1, owning; close;
                free L1 105248 on 0, circular buffer of program 1, owning; end program 1
                = causes UNEXPLAINED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
