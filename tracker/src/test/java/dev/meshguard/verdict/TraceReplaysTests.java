package dev.meshguard.verdict;

/** Reports show which buffers the replays of a trace overwrite, and which they read after their free. */
class TraceReplaysTests {

    @Stories("""
            overwrite what lies at the first address
                trace 1 begins; allocate DRAM -0x8000000000000000 on 0, mesh 0, extent 64, owning;
                free DRAM -0x8000000000000000 on 0, mesh 0, owning; trace 1 ends;
                allocate DRAM -0x8000000000000000 on 0, mesh 0, extent 64, owning; trace 1 replays
                = overwrites BY_REPLAY
            overwrite what lies over a part only
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends;
                allocate DRAM 0x103f on 0, mesh 0, extent 64, owning;
                allocate DRAM 0x1040 on 0, mesh 0, extent 64, owning;
                allocate DRAM 0xfc0 on 0, mesh 0, extent 64, owning; trace 1 replays
                = overwrites BY_REPLAY
            do not harm what [reaches beyond the last address | was freed before or is allocated after the last one]
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends;
                [allocate DRAM 0x7fffffffffffffef on 0, mesh 0, extent 64, owning; trace 1 replays
                | allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; free DRAM 0x1000 on 0, mesh 0, owning;
                trace 1 replays; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning]
                = no overwrites
            harm what got the memory of a result after its free
                trace 1 begins; allocate DRAM 0x2000 on 0, mesh 0, extent 64, owning; trace 1 ends;
                free DRAM 0x2000 on 0, mesh 0, owning; allocate DRAM 0x2000 on 0, mesh 0, extent 64, owning;
                trace 1 replays
                = overwrites BY_REPLAY
            [leave that two traces share temporary memory | overwrite the result of another trace]
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends; trace 2 begins;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; [free DRAM 0x1000 on 0, mesh 0, owning; | ]
                trace 2 ends; trace 1 replays[; trace 2 replays; trace 1 replays | ]
                = [no overwrites | overwrites BY_REPLAY]
            [spare a result written anew | harm one read before | spare one freed unread | spare one never replayed]
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends; trace 2 begins;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; trace 2 writes 0x1000; trace 2 ends;
                [trace 1 replays; trace 2 replays; read 0x1000; trace 1 replays; trace 2 replays; read 0x1000
                | trace 2 replays; trace 1 replays; read 0x1000; trace 2 replays
                | trace 2 replays; read 0x1000; trace 1 replays; free DRAM 0x1000 on 0, mesh 0, owning; read 0x1000
                | trace 1 replays]
                = [no overwrites | overwrites BY_REPLAY | no overwrites | no overwrites]
            overwrite a result that another trace reads before it is written anew
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends; trace 2 begins;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; trace 2 writes 0x1000; trace 2 ends;
                trace 3 begins; trace 3 reads 0x1000; trace 3 ends; trace 1 replays; trace 3 replays; trace 2 replays
                = overwrites BY_REPLAY
            overwrite a buffer that is not the result of a trace
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; trace 2 begins; trace 2 reads 0x1000;
                trace 2 ends; trace 2 replays; trace 1 replays; free DRAM 0x1000 on 0, mesh 0, owning
                = overwrites BY_REPLAY
            overwrite a buffer of another trace that reads it before it writes it
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends; trace 2 begins;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; trace 2 reads 0x1000; trace 2 writes 0x1000;
                trace 2 ends; trace 1 replays; trace 2 replays
                = overwrites BY_REPLAY
            count only the replays whose data is missed
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends; trace 2 begins;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; trace 2 writes 0x1000; trace 2 ends;
                trace 1 replays; trace 2 replays; trace 1 replays; read 0x1000
                overwrite BY_REPLAY of DRAM 0x1000 (4096) on device 0, generation 2 by trace 1
            are of the latest capture of a trace
                trace 1 begins; allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning;
                free DRAM 0x1000 on 0, mesh 0, owning; trace 1 ends;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, owning; trace 1 begins;
                allocate DRAM 0x2000 on 0, mesh 0, extent 64, owning; trace 1 ends; trace 1 replays
                = no overwrites
            read an input after its free
                allocate DRAM 0x2000 on 0, mesh 0, extent 64, owning; trace 1 begins; trace 1 reads 0x2000;
                trace 1 ends; trace 1 replays; free DRAM 0x2000 on 0, mesh 0, owning; trace 1 replays
                = overwrites FREED_BEFORE_REPLAY
            read no freed buffer of an unknown request
                without origins; allocate DRAM 0x2000 on 0, owning; trace 1 begins; trace 1 reads 0x2000; trace 1 ends;
                free DRAM 0x2000 on 0; trace 1 replays
                = no overwrites
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
