package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.IgnoredFreeReason.FREED_BY_ADDRESS;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Stories;
import dev.meshguard.verdict.Story;
import org.junit.jupiter.api.Test;

/** Reports that contradict earlier ones, with both sides of them. */
class AnomalyTests {

    @Test
    void aFreeThatNobodyAnswersToKnowsWhoAskedForIt() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.freed(0, DRAM, 0x1000);

        Anomaly anomaly = only(tracker.history(), Anomaly.Kind.UNKNOWN_FREE);
        HistoryEvent.Freed freed = (HistoryEvent.Freed) anomaly.event();
        assertThat(freed.request().origin().flatMap(Origin::site))
                .map(StackTraceElement::getMethodName)
                .contains("aFreeThatNobodyAnswersToKnowsWhoAskedForIt");
    }

    @Test
    void anotherSizeAtALiveAddressKeepsTheFirst() {
        var history = historyOf("allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 128");

        Anomaly anomaly = only(history, Anomaly.Kind.SIZE_CHANGE);
        assertThat(((HistoryEvent.Allocated) anomaly.event()).size()).isEqualTo(128);
        assertThat(anomaly.generation().orElseThrow().size()).isEqualTo(64);
    }

    @Stories("""
            circular buffers share their addresses in any size
                allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                allocate L1 101152 on 0, size 2048, circular buffer of program 8
                = no anomalies
            another type of another memory is none
                allocate L1 0x1000 on 0; allocate DRAM 0x1000 on 0
                = no anomalies
            neighbours do not overlap
                allocate DRAM 0x1000 on 0, size 0x100; allocate DRAM [0x1100 | 0xf00] on 0, size 0x100
                = no anomalies
            [a freed buffer overlaps nothing | other devices do not overlap | types of one memory overlap]
                allocate DRAM 0x1000 on 0, size 0x100; [free DRAM 0x1000 on 0; | | ]
                allocate [DRAM | DRAM | TRACE] 0x1080 on [0 | 1 | 0], size 0x100
                = [no anomalies | no anomalies | anomalies OVERLAP]
            [a view inside what it points to does not overlap | a view beyond it overlaps | an owner inside it overlaps]
                allocate DRAM 0x1000 on 0, size 0x100, owning;
                allocate DRAM 0x1080 on 0, size [0x80, view | 0x81, view | 0x80, owning]
                = [no anomalies | anomalies OVERLAP | anomalies OVERLAP]
            an address of an earlier open period of the device overlaps nothing
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 0x100; close; mesh 1 over 0;
                allocate DRAM 0x1080 on 0, size 0x100; allocate TRACE 0x1000 on 0, size 0x10; close
                = no anomalies
            a double free names the generation that was freed
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                anomaly DOUBLE_FREE of DRAM 0x1000 (4096) on device 0, generation 1
            a free of an address that nobody knows has no holder
                free DRAM 0x1000 on 3
                anomaly UNKNOWN_FREE of DRAM 0x1000 (4096) on device 3
            a free of the same address on another device is unknown
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 1
                = anomalies UNKNOWN_FREE, live on devices 0
            another type of the same memory at a live address is a type change
                allocate L1 0x1000 on 0; allocate L1_SMALL 0x1000 on 0
                anomaly TYPE_CHANGE of L1 0x1000 (4096) on device 0, generation 1
            a buffer over the end or the start of a live one overlaps
                allocate DRAM 0x1000 on 0, size 0x100; allocate DRAM [0x10ff | 0xf01] on 0, size 0x100
                anomaly OVERLAP of DRAM 0x1000 (4096) on device 0, generation 1
            a view does not hide the buffer it points to
                allocate DRAM 0x1000 on 0, size 0x100, owning; allocate DRAM 0x1010 on 0, size 0x10, view;
                allocate DRAM 0x1080 on 0, size 0x10, owning
                anomaly OVERLAP of DRAM 0x1000 (4096) on device 0, generation 1
            banked buffers overlap by the extent they say only
                banked addresses; allocate DRAM 0x1000 on 0, size 0x1000[ | , extent 0x100 | , extent 0x100];
                allocate DRAM [0x1080 | 0x1080 | 0x1100] on 0, size 0x1000[ | , extent 0x100 | , extent 0x100]
                = [no anomalies | anomalies OVERLAP | no anomalies]
            banked buffers of another type at one address are a type change without extents
                banked addresses; allocate DRAM 0x1000 on 0; allocate TRACE 0x1000 on 0
                = anomalies TYPE_CHANGE
            a buffer of a closed device is noted
                mesh 0 over 0; close; allocate DRAM 0x1000 on 0
                anomaly ALLOCATION_AFTER_CLOSE of DRAM 0x1000 (4096) on device 0
            ignored frees say why and do not unbalance the ledger
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, ALREADY_FREED;
                ignore DRAM 0x2000 on 0, UNKNOWN_ADDRESS; close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = anomalies IGNORED_DOUBLE_FREE IGNORED_UNKNOWN_FREE FREE_AFTER_CLOSE, balanced, live on devices 0
            a free that is ignored because others share the buffer fits what is known
                allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, STILL_SHARED
                = no anomalies, live on devices 0
            a late release names the life that a reopened device left behind
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; allocate DRAM 0x1000 on 0;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED; close
                anomaly FREE_AFTER_CLOSE of DRAM 0x1000 (4096) on device 0, generation 1
            a late release may be of a circular buffer that the allocator does not know
                mesh 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 1; witness CLOSE_BEGUN L1 on 0;
                close; mesh 1 over 0; allocate L1 0x1000 on 0, circular buffer of program 1; close;
                ignore L1 0x1000 on 0, DEVICE_CLOSED, circular buffer of program 1
                anomaly FREE_AFTER_CLOSE of L1 0x1000 (4096) on device 0
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void aFreeByAddressNamesTheBufferThatItFreedAndNotTheOneThatHasTheMemory() {
        var tracker = AllocationTracker.create();
        MemoryRequest byAddress = tracker.releaseByAddress(AllocationDetails.user());
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, L1, 0x1000, 64, Ownership.OWNING);
        tracker.freed(tracker.release(AllocationDetails.user()), 0, L1, 0x1000, Ownership.OWNING);
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, L1, 0x1000, 64, Ownership.OWNING);
        tracker.freed(byAddress, 0, L1, 0x1000, Ownership.OWNING);
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, L1, 0x1000, 64, Ownership.OWNING);
        tracker.freeIgnored(byAddress, 0, L1, 0x1000, FREED_BY_ADDRESS);

        Anomaly anomaly = only(tracker.history(), Anomaly.Kind.FREED_BY_ADDRESS);
        assertThat(anomaly.generation().orElseThrow().generation()).isEqualTo(2);
        assertThat(anomaly.kind().unbalancesLedger()).isTrue();
    }

    @Test
    void aFreeByAddressNamesNoBufferIfItsRequestStandsForMany() {
        var tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        MemoryRequest anonymous = tracker.release(AllocationDetails.user());
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, L1, 0x1000, 64, Ownership.OWNING);
        tracker.freed(anonymous, 0, L1, 0x1000, Ownership.OWNING);
        tracker.freeIgnored(anonymous, 0, L1, 0x1000, FREED_BY_ADDRESS);

        assertThat(only(tracker.history(), Anomaly.Kind.FREED_BY_ADDRESS).generation())
                .isEmpty();
    }

    private static Anomaly only(AllocationHistory history, Anomaly.Kind kind) {
        assertThat(history.anomalies()).extracting(Anomaly::kind).containsExactly(kind);
        return history.anomalies().get(0);
    }
}
