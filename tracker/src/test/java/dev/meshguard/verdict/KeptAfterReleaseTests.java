package dev.meshguard.verdict;

/** A trace was released without its buffer. */
class KeptAfterReleaseTests {

    @Stories("""
            names the released trace where the witness still held its buffer
                mesh 0 over 0; allocate TRACE 0x1000 on 0, of trace 0; cached trace 0; end trace 0;
                witness CLOSE_BEGUN TRACE on 0: 0x1000; close
                = KEPT_AFTER_RELEASE LEAKED
                because trace 0 was released at {owner ended}, and its buffer was not freed
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
                fix Drop the references to the trace's buffer before the trace is released: the trace is gone, and a
                    second release does nothing.
            is not named for a trace that was not released though another one was
                mesh 0 over 0; allocate TRACE 0x1000 on 0, of trace 0; cached trace 0; [ | end trace 1;]
                witness CLOSE_BEGUN TRACE on 0: 0x1000; close
                = CACHED LEAKED
                fix Release the trace before ttnn.closeMeshDevice(mesh): closing a mesh does not.
            is not named for memory that the witness calls free
                mesh 0 over 0; allocate TRACE 0x1000 on 0, of trace 0; cached trace 0; end trace 0;
                witness CLOSE_BEGUN TRACE on 0; close
                = FREE_UNREPORTED MISREPORTED
            is not named where no snapshot follows the release
                mesh 0 over 0; allocate TRACE 0x1000 on 0, of trace 0; cached trace 0;
                [ | witness CLOSE_BEGUN TRACE on 0: 0x1000;] end trace 0; close
                = UNEXPLAINED LEAKED
            is not named for a program, whose memory another may hold
                mesh 0 over 0; allocate TRACE 0x1000 on 0, of program 7; end program 7;
                witness CLOSE_BEGUN TRACE on 0: 0x1000; close
                = UNEXPLAINED LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
