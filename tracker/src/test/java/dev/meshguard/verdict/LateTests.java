package dev.meshguard.verdict;

/** A free after the close of its allocator began, or after the check, is late. */
class LateTests {

    @Stories("""
            names a buffer that was freed after the check
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close; checked;
                free DRAM 0x1000 on 0
                = FREED_LATE, LATE FREED_LATE
                because freed at {freed}, after close began ({witnessed}), at dev.example.HistoryTests.story(HistoryTests.java:6)
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
            leaves to what is lost what the collector freed
                allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0, collected
                = LOST LEAKED
                because no call freed it: its handle was collected at {freed}, when it should have been freed already
            leaves alone what was freed before
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; checked
                = LEAK_FREE
            is misreported where the witness saw it free in time
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close; checked;
                free DRAM 0x1000 on 0
                = FREE_UNREPORTED MISREPORTED
            does not confuse a later generation of the address with it
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0; checked;
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                = UNEXPLAINED LEAKED
            judges by the last of several checks
                allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0; checked
                = LEAK_FREE
            names a buffer that one request reported twice and freed once
                allocate DRAM 0x1000 on 0, view, again NON_OWNING; checked; free DRAM 0x1000 on 0, view
                = LATE FREED_LATE
                because freed at {freed}, after the check ({checked}), at dev.example.HistoryTests.story(HistoryTests.java:3)
            names the last of several late frees
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING; checked; free DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, view
                = LATE FREED_LATE
                because freed at {last freed}, after the check ({checked}), at …
            is not said where one of two requests [that hold the address | that cannot be distinguished] was freed late
                [ | without origins;] allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0
                = UNEXPLAINED [LEAKED | UNDECIDED]
            names the buffer that the snapshot lists where a handle of its address was released after the close
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close; mesh 0 over 0;
                allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = causes FREE_UNREPORTED LATE
            is undecided where the snapshot lists a buffer whose address was reserved again and freed
                mesh 0 over 0; allocate DRAM 0x1000 on 0, allocator MESH, extent 64;
                allocate DRAM 0x1000 on 0, size 32, allocator MESH, extent 32;
                free DRAM 0x1000 on 0, allocator MESH, extent 32; witness CLOSE_BEGUN DRAM on 0: 0x1000; close;
                free DRAM 0x1000 on 0, allocator MESH, extent 64
                = LATE UNDECIDED
            does not apply to a buffer whose siblings were freed before the check
                allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view; checked; allocate DRAM 0x9000 on 5
                = FREED_ON_OTHER_DEVICES MISREPORTED
            takes the late free of one for no free of most
                allocate DRAM 0x1000 on 0..3, view; checked; free DRAM 0x1000 on 0, view
                = causes LATE UNEXPLAINED UNEXPLAINED UNEXPLAINED
            takes a free of its siblings for no free of what another request left there
                allocate DRAM 0x1000 on 0..3, view; allocate DRAM 0x1000 on 3, size 128, owning;
                free DRAM 0x1000 on 3, view; checked; free DRAM 0x1000 on 0..2, view
                = causes LATE LATE LATE UNEXPLAINED
            counts what was known at the check
                allocate DRAM 0x1000 on 0; checked; allocate DRAM 0x2000 on 0; free DRAM 0x1000 on 0
                = LATE FREED_LATE, conclusive
                sum 1 allocated, 1 freed late
            names a buffer whose handle was released after the close[ | , also before the check]
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; [checked; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                | ignore DRAM 0x1000 on 0, DEVICE_CLOSED; checked; allocate DRAM 0x9000 on 5]
                = LATE FREED_LATE
                because its handle was released at {free ignored}, after close began ({mesh closed}), at …
            names a buffer that went with its siblings after the check
                allocate DRAM 0x1000 on 0..3, view; checked; free DRAM 0x1000 on 0..2, view
                = LATE FREED_LATE
                youngest because what one allocator frees together with it was freed at {last freed}, after the check
                    ({checked})
            does not take a later reading for a free
                allocate DRAM 0x1000 on 0, view; checked; witness CLOSE_BEGUN DRAM on 0
                = causes UNEXPLAINED
            takes the free of a circular buffer for no other one
                allocate DRAM 0x1000 on 0, circular buffer of program 7, owning;
                allocate DRAM 0x1000 on 1, circular buffer of program 7, view, same request; checked;
                free DRAM 0x1000 on 0, circular buffer of program 7, owning
                = causes LATE UNEXPLAINED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
