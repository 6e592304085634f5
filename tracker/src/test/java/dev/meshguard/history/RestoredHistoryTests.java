package dev.meshguard.history;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RestoredHistoryTests {

    @Test
    void saysWhatTheRecordedOneSays() {
        AllocationHistory recorded = someHistory();

        AllocationHistory restored = AllocationHistory.of(
                recorded.events(), OptionalLong.of(recorded.ledgerEntries()), recorded.hasFlatAddresses());

        assertThat(restored.devices()).isEqualTo(recorded.devices()).containsExactly(0, 1, 2);
        assertThat(restored.snapshot()).isEqualTo(recorded.snapshot());
        assertThat(restored.ledgerEntries()).isEqualTo(recorded.ledgerEntries()).isEqualTo(3);
        assertThat(LeakCheck.create().examine(restored))
                .hasToString(LeakCheck.create().examine(recorded).toString());
    }

    @Test
    void findsAnEventByItsNumberWhereSomeAreMissing() {
        List<HistoryEvent> events = List.of(
                new HistoryEvent.DeviceOpened(1, 0),
                new HistoryEvent.ReportsLost(2, 3, "three lines cannot be read"),
                new HistoryEvent.DeviceOpened(5, 1),
                new HistoryEvent.DeviceClosed(1_000_000_000_000L, 1));
        AllocationHistory history = AllocationHistory.of(events, OptionalLong.empty(), false);

        assertThat(events)
                .allSatisfy(event -> assertThat(history.event(event.number())).containsSame(event));
        assertThat(List.of(-1L, 0L, 3L, 4L, 6L, Long.MAX_VALUE))
                .allSatisfy(number -> assertThat(history.event(number)).isEmpty());
        assertThat(AllocationHistory.of(List.of(), OptionalLong.empty(), false).event(1))
                .isEmpty();
    }

    @Test
    void hasARequestForEachThatWasWrittenDown() {
        Origin origin = new Origin(List.of(new StackTraceElement("dev.example.KvCacheTest", "decode", null, 41)));

        MemoryRequest request = MemoryRequest.restored(AllocationDetails.user(), Optional.of(origin));

        assertThat(request.isAnonymous()).isFalse();
        assertThat(request.origin()).containsSame(origin);
        assertThat(MemoryRequest.restored(AllocationDetails.user(), Optional.empty()))
                .isNotSameAs(MemoryRequest.restored(AllocationDetails.user(), Optional.empty()))
                .matches(other -> !other.isAnonymous() && !other.hasOrigin());
    }

    @Test
    void hasTheEventsOfTracesByThemselves() {
        AllocationTracker tracker = AllocationTracker.create();
        Owner trace = Owner.program("decode");
        tracker.sourceAttached(SourceDescription.of("a source"));
        tracker.rounds(1, round -> {
            tracker.captureBegan(0, trace);
            tracker.programCaptured(trace, trace, Optional.empty());
            tracker.bufferCaptured(trace, tracker.request(AllocationDetails.user()));
            tracker.resultCaptured(trace, tracker.request(AllocationDetails.user()));
            tracker.captureEnded(trace);
            tracker.traceReplayed(trace, List.of());
            tracker.resultRead(tracker.request(AllocationDetails.user()));
        });

        assertThat(tracker.history().traceEvents())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly(
                        "CaptureBegan",
                        "ProgramCaptured",
                        "BufferCaptured",
                        "ResultCaptured",
                        "CaptureEnded",
                        "TraceReplayed",
                        "ResultRead");
    }

    private static AllocationHistory someHistory() {
        return historyOf("""
                mesh 0 over 0..2; allocate DRAM 0x1000 on 0..2; free DRAM 0x1000 on 1;
                allocate L1 0x2000 on 0, size 32, lifetime SYSTEM; free L1 0x3000 on 0; allocate DRAM 0x1000 on 1, size 128;
                free DRAM 0x1000 on 0; close
                """);
    }
}
