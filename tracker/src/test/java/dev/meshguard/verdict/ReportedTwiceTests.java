package dev.meshguard.verdict;

/** Two proofs: the reports are of one allocation, and its memory is gone. */
class ReportedTwiceTests {

    @Stories("""
            is named when the owner is gone and the buffer of the same request is not
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, owning
                = REPORTED_TWICE MISREPORTED
                because reported 2 times at one live address ({allocated 1, 2}), freed once
                because the view of {last allocated} was destroyed without a report; the buffer that it looked at was
                    freed at {freed}
            is not named for what was reported before its owner[ | , and no memory is gone on the word of a later owner]
                // A mesh's buffer owns nothing on a device either, and the device allocates the same address again.
                mesh 0 over 0; allocate DRAM 0x1000 on 0, view; allocate DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, owning; [witness CLOSE_BEGUN DRAM on 0; | ] close
                = [FREE_UNREPORTED MISREPORTED | UNEXPLAINED LEAKED]
            is named when the witness says that the memory is gone
                mesh 0 over 0; allocate DRAM 0x1000 on 0, view, again NON_OWNING; free DRAM 0x1000 on 0, view;
                witness CLOSE_BEGUN DRAM on 0; close
                = REPORTED_TWICE MISREPORTED
                because reported 2 times at one live address ({allocated 1, 2}), freed once
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
            is not named while the owner is there
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, view
                = UNEXPLAINED LEAKED
                because reported twice, freed once
                because what was freed at {freed} is the view of {last allocated}; the lasting buffer of {allocated 1}
                    is still there
            is not named while the witness holds the memory
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, owning;
                witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = UNEXPLAINED LEAKED
                because reported twice, freed once
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
            is not named [for one report | when nothing was freed]
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning[ | , again NON_OWNING]; witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
            is not named where requests cannot be distinguished
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0;
                free DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
            is not named for a reading [after the wipe | of an earlier open period of the device]
                mesh 0 over 0; [ | witness CLOSE_BEGUN DRAM on 0; close; mesh 1 over 0;]
                allocate DRAM 0x1000 on 0, view, again NON_OWNING; free DRAM 0x1000 on 0, view;
                [witness AFTER_WIPE DRAM on 0; | ] close
                = UNEXPLAINED LEAKED
            is not named for a buffer that came after the owner was gone
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, owning;
                allocate DRAM 0x1000 on 0, view
                = UNEXPLAINED LEAKED
            is not named for a circular buffer that touched the buffers address
                allocate L1 101152 on 0, size 4096, view;
                allocate L1 101152 on 0, size 4096, circular buffer of program 7, owning;
                free L1 101152 on 0, of program 7, owning
                = UNEXPLAINED LEAKED
            waits for the runtime where the memory is its own[ | , and is not named if it is allocated before the wipe]
                mesh 0 over 0; allocate DRAM 0x1000 on 0, lifetime SYSTEM, view, again NON_OWNING;
                free DRAM 0x1000 on 0, view; [witness CLOSE_BEGUN DRAM on 0: 0x1000; witness BEFORE_WIPE DRAM on 0
                | witness BEFORE_WIPE DRAM on 0: 0x1000]; close
                = [REPORTED_TWICE MISREPORTED | SYSTEM LEAKED]
            is not named where all that was freed belongs to another[ | , though no witness saw the memory]
                [mesh 0 over 0; | ] allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, owning[; witness CLOSE_BEGUN DRAM on 0; close | ]
                = [FREE_UNREPORTED MISREPORTED | UNEXPLAINED LEAKED]
            is [named for a later view of another owner | not named for a view of another owner that was there before]
                mesh 0 over 0; [ | allocate DRAM 0x1000 on 0, of program 7, view;] allocate DRAM 0x1000 on 0, owning;
                [allocate DRAM 0x1000 on 0, of program 7, view; | ] free DRAM 0x1000 on 0, owning;
                witness CLOSE_BEGUN DRAM on 0; close
                = [REPORTED_TWICE | FREE_UNREPORTED] MISREPORTED
            is named for a device that the mesh does not lie over
                mesh 0 over 1..2; allocate DRAM 0x1000 on 1..2, and 0x1000 on 0, mesh 0, of program 7;
                free DRAM 0x1000 on 1..2, mesh 0; close
                = REPORTED_TWICE MISREPORTED
                because mesh 0 does not lie over device 0: {allocated 3} reports what {allocated 1} reports on device 1
            [is named for another device once its cached program ended | leaves it to the cache before]
                mesh 0 over 1..2; allocate DRAM 0x1000 on 1..2, and 0x1000 on 0, mesh 0, of program 7; cached program 7;
                [end program 7; | ] free DRAM 0x1000 on 1..2, mesh 0; close
                = [REPORTED_TWICE MISREPORTED | CACHED LEAKED]
            is not named for another device where nothing else lies at the address
                mesh 0 over 1..2; allocate DRAM 0x1000 on 1..2, and 0x2000 on 0, mesh 0, of program 7;
                free DRAM 0x1000 on 1..2, mesh 0; close
                = UNEXPLAINED LEAKED
            is not named for another device where nothing is known of the mesh
                mesh 0 over 1..2; allocate DRAM 0x1000 on 0..2; free DRAM 0x1000 on 1..2; close
                = FREED_ON_OTHER_DEVICES LEAKED
            is not named for a view of a circular buffer
                mesh 0 over 0; allocate L1 101152 on 0, size 32, owning;
                allocate L1 101152 on 0, circular buffer of program 7, owning; allocate L1 101152 on 0, view;
                free L1 101152 on 0, owning; free L1 101152 on 0, circular buffer of program 7, owning;
                witness CLOSE_BEGUN L1 on 0; close
                = FREE_UNREPORTED MISREPORTED
            is not named on the word of two owners of which one is too small
                allocate DRAM 0x1000 on 0, size 32, owning; allocate DRAM 0x1000 on 0, owning;
                allocate DRAM 0x1000 on 0, view; free DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0, owning
                = UNEXPLAINED LEAKED
            is named in whatever order one request reported[ | , but not if the free does not say whose it is]
                allocate DRAM 0x1000 on 0, view, again OWNING; free DRAM 0x1000 on 0[, owning | ]
                = [REPORTED_TWICE MISREPORTED | UNEXPLAINED LEAKED]
            is not named for a buffer that its allocator reserved inside another whose free is missing
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 8192, extent 8192, allocator MESH;
                allocate DRAM 0x1800 on 0, extent 64, allocator MESH, view; witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
            is not named for a view that lies [on more devices than the owner | on another device than the owner's rest]
                // A request that reported on two devices is no view of a buffer on one of them.
                allocate DRAM 0x1000 on [0 | 0..1], owning; allocate DRAM 0x1000 on [0..1 | 0+2], view;
                free DRAM 0x1000 on [0 | 0..1], owning
                = UNEXPLAINED LEAKED
            leaves what only another device reports to the allocator of its mesh
                mesh 0 over 1..2; allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 1..2; close
                = FREE_UNREPORTED MISREPORTED
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
            is not named where another mesh reported a buffer at the address meanwhile
                // The second buffer is larger, so it is no view of the first; the frees fit either.
                mesh 0 over 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, size 128, view, again OWNING;
                allocate DRAM 0x1000 on 0, size 192, view; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1;
                free DRAM 0x1000 on 0, view; free DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                = UNEXPLAINED LEAKED
            is named where a free came between the reports of one request
                // A request that continues to report after a free still reports one allocation.
                mesh 0 without 0; allocate DRAM 0x1000 on 0, view; free DRAM 0x1000 on 0;
                allocate DRAM 0x1000 on 0, view, same request; allocate DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0; close without devices
                = REPORTED_TWICE MISREPORTED
                because reported 2 times at one live address ({allocated 2, 3}), freed once
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
            is not named because the request freed another address
                mesh 0 without 0; allocate DRAM 0x2000 on 0, view; free DRAM 0x2000 on 0;
                allocate DRAM 0x1000 on 0, view, same request; allocate DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0; close without devices
                = FREE_UNREPORTED MISREPORTED
            is named where a free came between the two reports of one request
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0, owning;
                allocate DRAM 0x1000 on 0, owning, same request; witness CLOSE_BEGUN DRAM on 0; close
                = REPORTED_TWICE MISREPORTED
                because reported 2 times at one live address ({allocated 1, 2}), freed once
                because the allocator reported 0x1000 (4096) as free when close began ({witnessed})
            is not named where a free came between the reports of two requests
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0, owning;
                allocate DRAM 0x1000 on 0, owning, same line; witness CLOSE_BEGUN DRAM on 0; close
                = FREE_UNREPORTED MISREPORTED
            names no more than six events
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING, again NON_OWNING, again NON_OWNING,
                again NON_OWNING, again NON_OWNING[ | , again NON_OWNING, again NON_OWNING];
                free DRAM 0x1000 on 0, owning
                = REPORTED_TWICE MISREPORTED
                because reported [6 times at one live address ({allocated 1, 2, 3, 4, 5, 6}) | 8 times at one live
                    address ({allocated 1, 2, 3, 4, 5, 6} and 2 more)], freed once
                because the view of {allocated 2} was destroyed without a report; the buffer that it looked at was freed
                    at {freed}
            is not inferred from an owner of an earlier open period of the device
                mesh 0 over 0; allocate DRAM 0x1000 on 0, view; allocate DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, owning; close; mesh 0 over 0; allocate DRAM 0x1000 on 0, view;
                allocate DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0;
                close without devices
                = causes UNEXPLAINED FREE_UNREPORTED
            is not named for another device while a device of the mesh holds the memory
                mesh 0 over 1..2; allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 1: 0x1000; close
                = UNEXPLAINED LEAKED
            leaves what only another device reports to the reading of its own mesh when it closes
                // Of two meshes over the same devices, before and after the buffer, only its own mesh's last snapshots
                // count.
                mesh 0 over 1..2; mesh 7 over 3..4; witness CLOSE_BEGUN DRAM on 1..2: 0x1000;
                allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 1..2: 0x1000, mesh 7;
                witness AFTER_WIPE DRAM on 1..2: 0x1000; witness CLOSE_BEGUN DRAM on 1..2; close 7; close
                = FREE_UNREPORTED MISREPORTED
            is named for a view on a device where the buffer was not reported
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 0..1, view, pointer;
                free DRAM 0x1000 on 0, owning; close
                = causes REPORTED_TWICE UNEXPLAINED
            is named for a view of a part of a buffer
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 0x800, owning, mesh 0;
                allocate DRAM 0x1200 on 0, size 0x100, view, pointer, mesh 0[;
                free DRAM 0x1000 on 0, owning, mesh 0 | ]; close
                = [MISREPORTED, causes REPORTED_TWICE | LEAKED, causes UNEXPLAINED REPORTED_TWICE]
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
