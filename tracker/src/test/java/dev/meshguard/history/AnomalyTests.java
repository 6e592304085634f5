package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.event.IgnoredFreeReason.DEVICE_CLOSED;
import static dev.meshguard.event.IgnoredFreeReason.FREED_BY_ADDRESS;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.Stories;
import dev.meshguard.verdict.Story;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reports that contradict earlier ones, with both sides of them. */
class AnomalyTests {

    @Test
    void aDoubleFreeNamesTheGenerationThatWasFreed() {
        var history = historyOf("allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; free DRAM 0x1000 on 0");

        Anomaly anomaly = only(history, Anomaly.Kind.DOUBLE_FREE);
        assertThat(anomaly.event().number()).isEqualTo(3);
        assertThat(anomaly.generation()).get().satisfies(holder -> {
            assertThat(holder.allocatedAt()).isEqualTo(1);
            assertThat(holder.freedAt()).hasValue(2);
        });
    }

    @Test
    void aFreeOfAnAddressThatNobodyKnowsHasNoHolder() {
        Anomaly anomaly = only(history().free(DRAM, device(3), 0x1000).recorded(), Anomaly.Kind.UNKNOWN_FREE);

        assertThat(anomaly.device()).isEqualTo(3);
        assertThat(anomaly.type()).isEqualTo(DRAM);
        assertThat(anomaly.address()).isEqualTo(0x1000);
        assertThat(anomaly.generation()).isEmpty();
    }

    @Test
    void aFreeOfTheSameAddressOnAnotherDeviceIsUnknown() {
        var history = historyOf("allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 1");

        only(history, Anomaly.Kind.UNKNOWN_FREE);
        assertThat(history.live()).hasSize(1);
    }

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
                allocate DRAM 0x1000 on 0, size 0x100; allocate DRAM 0x1100 on 0, size 0x100
                = no anomalies
            neighbours do not overlap (2)
                allocate DRAM 0x1000 on 0, size 0x100; allocate DRAM 0xf00 on 0, size 0x100
                = no anomalies
            a freed buffer overlaps nothing
                allocate DRAM 0x1000 on 0, size 0x100; free DRAM 0x1000 on 0; allocate DRAM 0x1080 on 0, size 0x100
                = no anomalies
            other devices do not overlap
                allocate DRAM 0x1000 on 0, size 0x100; allocate DRAM 0x1080 on 1, size 0x100
                = no anomalies
            types of one memory overlap
                allocate DRAM 0x1000 on 0, size 0x100; allocate TRACE 0x1080 on 0, size 0x100
                = anomalies OVERLAP
            a view inside what it points to does not overlap
                allocate DRAM 0x1000 on 0, size 0x100, owning; allocate DRAM 0x1080 on 0, size 0x80, view
                = no anomalies
            a view beyond what it points to overlaps
                allocate DRAM 0x1000 on 0, size 0x100, owning; allocate DRAM 0x1080 on 0, size 0x81, view
                = anomalies OVERLAP
            an owner inside a live buffer overlaps
                allocate DRAM 0x1000 on 0, size 0x100, owning; allocate DRAM 0x1080 on 0, size 0x80, owning
                = anomalies OVERLAP
            an address of an earlier open period of the device overlaps nothing
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 0x100; close; mesh 1 over 0;
                allocate DRAM 0x1080 on 0, size 0x100; allocate TRACE 0x1000 on 0, size 0x10; close
                = no anomalies
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void anotherTypeOfTheSameMemoryAtALiveAddressIsATypeChange() {
        var history = historyOf("allocate L1 0x1000 on 0; allocate L1_SMALL 0x1000 on 0");

        Anomaly anomaly = only(history, Anomaly.Kind.TYPE_CHANGE);
        assertThat(anomaly.type()).isEqualTo(L1_SMALL);
        assertThat(anomaly.generation().orElseThrow().type()).isEqualTo(L1);
    }

    @Test
    void aBufferOverTheEndOfALiveOneOverlaps() {
        Anomaly anomaly = only(twoBuffers(0x1000, 0x100, 0x10ff, 0x100), Anomaly.Kind.OVERLAP);

        assertThat(anomaly.generation().orElseThrow().address()).isEqualTo(0x1000);
    }

    @Test
    void aBufferOverTheStartOfALiveOneOverlaps() {
        Anomaly anomaly = only(twoBuffers(0x1000, 0x100, 0xf01, 0x100), Anomaly.Kind.OVERLAP);

        assertThat(anomaly.generation().orElseThrow().address()).isEqualTo(0x1000);
    }

    @Test
    void aViewDoesNotHideTheBufferItPointsTo() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0, size 0x100, owning; allocate DRAM 0x1010 on 0, size 0x10, view;
                allocate DRAM 0x1080 on 0, size 0x10, owning
                """);

        Anomaly anomaly = only(history, Anomaly.Kind.OVERLAP);
        assertThat(anomaly.generation().orElseThrow().address()).isEqualTo(0x1000);
    }

    @Test
    void bankedBuffersOverlapByTheExtentTheySayOnly() {
        assertThat(banked(0x1000, 0x1080, false).anomalies()).isEmpty();
        only(banked(0x1000, 0x1080, true), Anomaly.Kind.OVERLAP);
        assertThat(banked(0x1000, 0x1100, true).anomalies()).isEmpty();
    }

    @Test
    void bankedBuffersOfAnotherTypeAtOneAddressAreATypeChangeWithoutExtents() {
        AllocationTracker tracker =
                AllocationTracker.builder().bankedAddresses().build();
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, TRACE, 0x1000, 64);

        only(tracker.history(), Anomaly.Kind.TYPE_CHANGE);
    }

    @Test
    void aBufferOfAClosedDeviceIsNoted() {
        var history = historyOf("mesh 0 over 0; close; allocate DRAM 0x1000 on 0");

        Anomaly anomaly = only(history, Anomaly.Kind.ALLOCATION_AFTER_CLOSE);
        assertThat(anomaly.generation()).isEqualTo(Optional.empty());
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

    @Test
    void ignoredFreesSayWhyAndDoNotUnbalanceTheLedger() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, ALREADY_FREED;
                ignore DRAM 0x2000 on 0, UNKNOWN_ADDRESS; close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                """);

        assertThat(history.anomalies())
                .extracting(Anomaly::kind)
                .containsExactly(
                        Anomaly.Kind.IGNORED_DOUBLE_FREE,
                        Anomaly.Kind.IGNORED_UNKNOWN_FREE,
                        Anomaly.Kind.FREE_AFTER_CLOSE);
        assertThat(history.anomalies()).noneMatch(anomaly -> anomaly.kind().unbalancesLedger());
        assertThat(history.live()).hasSize(1);
    }

    @Test
    void aFreeThatIsIgnoredBecauseOthersShareTheBufferFitsWhatIsKnown() {
        var history = historyOf("allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, STILL_SHARED");

        assertThat(history.anomalies()).isEmpty();
        assertThat(history.events()).hasSize(2);
        assertThat(history.live()).hasSize(1);
    }

    @Test
    void aLateReleaseNamesTheLifeThatAReopenedDeviceLeftBehind() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; allocate DRAM 0x1000 on 0;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED; close
                """);

        Anomaly anomaly = only(history, Anomaly.Kind.FREE_AFTER_CLOSE);
        assertThat(anomaly.generation().orElseThrow().openPeriod()).isEqualTo(1);
    }

    @Test
    void aLateReleaseMayBeOfACircularBufferThatTheAllocatorDoesNotKnow() {
        AllocationDetails circular = AllocationDetails.circularBuffer(program(1));
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .circularBufferOf(program(1))
                .witness(CLOSE_BEGUN, L1, device(0))
                .close()
                .mesh(1, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .circularBufferOf(program(1))
                .close()
                .freeIgnored(circular, L1, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        assertThat(only(history, Anomaly.Kind.FREE_AFTER_CLOSE).generation()).isEmpty();
    }

    private static AllocationHistory twoBuffers(long first, long firstSize, long second, long secondSize) {
        return history()
                .allocate(DRAM, device(0), first, firstSize)
                .allocate(DRAM, device(0), second, secondSize)
                .recorded();
    }

    private static AllocationHistory banked(long first, long second, boolean extents) {
        AllocationTracker tracker =
                AllocationTracker.builder().bankedAddresses().build();
        AllocationDetails user = AllocationDetails.user();
        AllocationDetails details = extents ? user.withExtent(0x100) : user;
        for (long address : new long[] {first, second}) {
            tracker.allocated(tracker.request(details), 0, BufferType.DRAM, address, 0x1000, Ownership.OWNING);
        }
        return HistoryScript.on(tracker).recorded();
    }

    private static Anomaly only(AllocationHistory history, Anomaly.Kind kind) {
        assertThat(history.anomalies()).extracting(Anomaly::kind).containsExactly(kind);
        return history.anomalies().get(0);
    }
}
