package dev.meshguard.verdict;

/** Most siblings of a buffer were freed, one to a device. */
class FreedOnOtherDevicesTests {

    @Stories("""
            is a report that is missing where the devices free in lock step
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view; close
                = FREED_ON_OTHER_DEVICES MISREPORTED
                because 3 of 4 buffers of one mesh allocation were freed by {last freed}, device 3's never was
                because one allocator frees it on all devices at once, so only the report of device 3 can be missing
                fix Report the free of every device.
            is a leak where the witness holds the memory of a device in lock step
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view;
                witness CLOSE_BEGUN DRAM on 3: 0x1000; close
                = FREED_ON_OTHER_DEVICES LEAKED
                because 3 of 4 buffers of one mesh allocation were freed by {last freed}, device 3's never was
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
            leaves memory that the witness calls free to the witness
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view;
                witness CLOSE_BEGUN DRAM on 3; close
                = FREE_UNREPORTED MISREPORTED
            is a leak of single device buffers from one line
                allocate DRAM 0x1000 on 0..7, each, view; free DRAM 0x1000 on 0..2, view; free DRAM 0x1000 on 4..7, view
                = FREED_ON_OTHER_DEVICES LEAKED
                because 7 of 8 single-device buffers were freed by {last freed}, device 3's never was
            says that the others went with their handles[ | , but not where one was freed]
                allocate DRAM 0x1000 on 0..3, each, owning; free DRAM 0x1000 on 0..1, owning, collected;
                free DRAM 0x1000 on 2, owning[, collected | ]
                = FREED_ON_OTHER_DEVICES LEAKED
                because 3 of 4 single-device buffers were [freed when their handles were collected, | freed] by {last freed},
                    device 3's never was
            is a leak where [the buffers own their memory | nobody says who owns the memory]
                allocate DRAM 0x1000 on 0..3[, owning | ]; free DRAM 0x1000 on 0..2[, owning | ]
                = FREED_ON_OTHER_DEVICES LEAKED
            is a leak where the buffers lie at different addresses
                allocate DRAM 0x1000 on 0..2, view, and 0x2000 on 3; free DRAM 0x1000 on 0..2, view
                = FREED_ON_OTHER_DEVICES LEAKED
            is not named with half of them freed
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..1, view; close
                = UNEXPLAINED LEAKED
            counts what each device did with several buffers of one request
                allocate DRAM 0x1000 on 0..3, and 0x2000 on 0..3, view; free DRAM 0x1000 on 0..3, view;
                free DRAM 0x2000 on 0..2, view
                = FREED_ON_OTHER_DEVICES LEAKED
                because device 3 allocated 2 from this line and freed 1, by {last freed}; 3 of 4 devices allocated 2 and
                    freed all
            is not named for two buffers on one of many devices
                mesh 0 over 0..7; allocate DRAM 0x9000 on 0..7; free DRAM 0x9000 on 0..7;
                allocate DRAM 0x1000 on 0..1, and 0x2000 on 0; free DRAM 0x1000 on 0..1; close
                = UNEXPLAINED LEAKED
            is not named for buffers from other lines
                allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 1; allocate DRAM 0x1000 on 2;
                free DRAM 0x1000 on 0..1
                = UNEXPLAINED LEAKED
            is not named where requests cannot be distinguished
                without origins; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view
                = UNEXPLAINED LEAKED
            is not named for the only buffer of its request
                allocate DRAM 0x1000 on 0
                = UNEXPLAINED LEAKED
            is a leak for circular buffers that no allocator frees in lock step
                allocate DRAM 0x1000 on 0..3, circular buffer of program 7, view;
                free DRAM 0x1000 on 0..2, circular buffer of program 7, view
                = FREED_ON_OTHER_DEVICES LEAKED
            is a leak when an owner was reported as well
                allocate DRAM 0x1000 on 0..3, view, again OWNING; free DRAM 0x1000 on 0..2, view;
                free DRAM 0x1000 on 0..2, owning
                = FREED_ON_OTHER_DEVICES LEAKED
            is not named when a later request got the address
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view;
                allocate DRAM 0x1000 on 3, view; close
                = UNEXPLAINED LEAKED
            is a missing report though something else owned the address of a sibling
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, view; allocate DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0..2, view; close
                = FREED_ON_OTHER_DEVICES MISREPORTED
            says that a device allocated extra
                allocate DRAM 0x1000 on 0..3, each; allocate DRAM 0x2000 on 2, each, same line; free DRAM 0x1000 on 0..3
                = FREED_ON_OTHER_DEVICES LEAKED
                because device 2 allocated 2 from this line and freed 1, by {last freed}; 3 of 4 devices allocated only
                    1 and freed all, so device 2 allocated 1 extra
            is not named where [all devices are alike | most devices kept something too]
                allocate DRAM 0x1000 on 0..3, each; allocate DRAM 0x2000 on 0..3, each, same line;
                free DRAM 0x1000 on [0..3 | 0..2]
                = UNEXPLAINED LEAKED
            is not named for [other memory | another kind of buffer] from the same line
                allocate [DRAM | L1] 0x1000 on 0; allocate [DRAM | L1] 0x1000 on 1, same line;
                allocate L1 0x1000 on 2, same line[ | , circular buffer of program 7]; free [DRAM | L1] 0x1000 on 0..1
                = UNEXPLAINED LEAKED
            counts what each device did with a loop that visits it twice
                allocate DRAM 0x1000 on 0..3, each; allocate DRAM 0x2000 on 0..3, each, same line;
                free DRAM 0x1000 on 0..3; free DRAM 0x2000 on 0..2
                = FREED_ON_OTHER_DEVICES LEAKED
                because device 3 allocated 2 from this line and freed 1, by {last freed}; 3 of 4 devices allocated 2 and
                    freed all
            is not named for buffers [of other sizes | with other labels]
                allocate DRAM 0x1000 on 0[ | , label layer 0]; allocate DRAM 0x1000 on 1, [size 65 | label layer 1], same line;
                allocate DRAM 0x1000 on 2, [size 66 | label layer 2], same line;
                allocate DRAM 0x1000 on 3, [size 67 | label layer 3], same line; free DRAM 0x1000 on 0..2
                = UNEXPLAINED LEAKED
            compares within one request where a line made several
                allocate DRAM 0x1000 on 0..3, owning; allocate DRAM 0x2000 on 0..3, owning, same line;
                free DRAM 0x1000 on 0..3, owning; free DRAM 0x2000 on 0..2, owning
                = FREED_ON_OTHER_DEVICES LEAKED
                because 3 of 4 buffers of one mesh allocation were freed by {last freed}, device 3's never was
            is not named where most devices did nothing that could be the measure
                allocate DRAM 0x1000 on 0..3, each; allocate DRAM 0x2000 on 3, each, same line
                = UNEXPLAINED LEAKED
            does not call it extra where a device allocated more and freed less
                allocate DRAM 0x1000 on 0..3, each; allocate DRAM 0x2000 on 0..3, each, same line;
                allocate DRAM 0x3000 on 3, each, same line; free DRAM 0x1000 on 0..3; free DRAM 0x2000 on 0..2
                = FREED_ON_OTHER_DEVICES LEAKED
                because device 3 allocated 3 from this line and freed 1, by {last freed}; 3 of 4 devices allocated 2 and
                    freed all
            counts what the witness calls free as freed
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3, each, mesh 0, owning;
                free DRAM 0x1000 on 0..1, mesh 0, owning; witness CLOSE_BEGUN DRAM on 2; close
                = causes FREE_UNREPORTED FREED_ON_OTHER_DEVICES, statuses MISREPORTED LEAKED
            compares [meshes of one device each | no meshes of several devices]
                mesh 0 over [0 | 0..1]; allocate DRAM 0x1000 on 0, mesh 0; mesh 1 over [2 | 2..3];
                allocate DRAM 0x1000 on 2, mesh 1, same line; mesh 2 over [4 | 4..5];
                allocate DRAM 0x1000 on 4, mesh 2, same line; free DRAM 0x1000 on 0, mesh 0;
                free DRAM 0x1000 on 2, mesh 1; close 0; close 1; close 2
                = [FREED_ON_OTHER_DEVICES | UNEXPLAINED] LEAKED
            measures a lone buffer by its line though the line asked for a whole request before
                // A request is compared with its own buffers, and a lone buffer with all buffers of its line.
                allocate DRAM 0x1000 on 0..2, owning; allocate DRAM 0x1000 on 3, owning, same line;
                free DRAM 0x1000 on 1..2, owning
                = causes FREED_ON_OTHER_DEVICES UNEXPLAINED
            is not named for other memory of the same request
                allocate DRAM 0x1000 on 0..2, view; free DRAM 0x1000 on 0..2;
                allocate L1 0x1000 on 3, view, same request
                = UNEXPLAINED LEAKED
            is a leak where one sibling in lock step is of unknown ownership
                allocate DRAM 0x1000 on 0+2+3, view; allocate DRAM 0x1000 on 1, same request; free DRAM 0x1000 on 0..2
                = FREED_ON_OTHER_DEVICES LEAKED
            is not concluded from frees that a source infers
                source snapshots, inferring frees; allocate DRAM 0x1000 on 0..7, each; free DRAM 0x1000 on 1..7
                = UNEXPLAINED LEAKED
            blames no device that stands for its whole mesh and a device that stands for no other
                mesh 0 without 0..3, busiest [0 | 1]; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..3;
                allocate DRAM 0x2000 on 0, view, same request; close without devices
                = [UNEXPLAINED | FREED_ON_OTHER_DEVICES] LEAKED
            blames the device that stands for its mesh where it allocated no more
                mesh 0 without 0..3, busiest 0; allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 1..3;
                close without devices
                = FREED_ON_OTHER_DEVICES MISREPORTED
                because 3 of 4 buffers of one mesh allocation were freed by {last freed}, device 0's never was
                because one allocator frees it on all devices at once, so only the report of device 0 can be missing
            is a leak where the reading that calls the others free holds this one
                mesh 0 without 0..3; allocate DRAM 0x1000 on 0..3, view; closing;
                witness CLOSE_BEGUN DRAM on 0..2, and DRAM on 3: 0x1000; close without devices
                = causes FREE_UNREPORTED FREE_UNREPORTED FREE_UNREPORTED FREED_ON_OTHER_DEVICES,
                    statuses MISREPORTED MISREPORTED MISREPORTED LEAKED
            blames each device that did not free its own buffer
                allocate DRAM 0x1000 on 0..3, each, owning; free DRAM 0x1000 on 0+1+3, owning
                fix Free the buffer on every device it was allocated on.
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
