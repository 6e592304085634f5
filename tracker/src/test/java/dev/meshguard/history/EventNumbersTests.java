package dev.meshguard.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventNumbersTests {

    private static final MemoryRequest REQUEST = MemoryRequest.of(AllocationDetails.user());
    private static final Owner PROGRAM = Owner.program("7");
    private static final Owner TRACE = new Owner(Owner.Kind.TRACE, "1 of mesh 0");
    private static final Instant AT = Instant.EPOCH;

    @Test
    void everyKindOfEventKeepsItsFactsUnderAnotherNumber() {
        List<HistoryEvent> events = events();

        assertThat(events)
                .extracting(HistoryEvent::getClass)
                .doesNotHaveDuplicates()
                .hasSameSizeAs(HistoryEvent.class.getPermittedSubclasses());
        assertThat(events).allSatisfy(event -> {
            HistoryEvent later = EventNumbers.numbered(event, 10);
            assertThat(later.number()).isEqualTo(10);
            assertThat(later).isNotEqualTo(event);
            assertThat(EventNumbers.numbered(later, event.number())).isEqualTo(event);
        });
    }

    /** Returns an event of each kind, with the number 1. */
    private static List<HistoryEvent> events() {
        return List.of(
                new HistoryEvent.Allocated(1, REQUEST, 2, BufferType.L1, 64, 32, Ownership.OWNING),
                new HistoryEvent.Freed(1, REQUEST, 2, BufferType.L1, 64, Ownership.OWNING),
                new HistoryEvent.FreeIgnored(1, REQUEST, 2, BufferType.L1, 64, IgnoredFreeReason.ALREADY_FREED),
                new HistoryEvent.PhaseBegan(1, AT, Phase.TEST),
                new HistoryEvent.MeshOpened(1, AT, MeshDescription.of(3, "1x1 mesh", List.of(2))),
                new HistoryEvent.MeshClosing(1, AT, 3),
                new HistoryEvent.MeshClosed(1, AT, 3),
                new HistoryEvent.DeviceOpened(1, 2),
                new HistoryEvent.DeviceClosed(1, 2),
                new HistoryEvent.OwnerCached(
                        1, PROGRAM, "program cache", Optional.of(new CacheKey("add", List.of("L1")))),
                new HistoryEvent.OwnerEnded(1, PROGRAM),
                new HistoryEvent.CaptureBegan(1, 3, TRACE),
                new HistoryEvent.ProgramCaptured(1, TRACE, PROGRAM, Optional.of(AllocatorId.subDevice(4, 5))),
                new HistoryEvent.BufferCaptured(1, TRACE, REQUEST),
                new HistoryEvent.CaptureEnded(1, TRACE),
                new HistoryEvent.TraceReplayed(1, TRACE, List.of(new Owner(Owner.Kind.TRACE, "2 of mesh 0"))),
                new HistoryEvent.Witnessed(
                        1, WitnessSnapshot.of(3, Moment.CLOSE_BEGUN).build()),
                new HistoryEvent.ReportsLost(1, 6, "the log is cut"),
                new HistoryEvent.SourceAttached(1, SourceDescription.of("a log")),
                new HistoryEvent.SourceNoted(1, "a note"),
                new HistoryEvent.ProcessDied(1, 4711),
                new HistoryEvent.TrackingStopped(1, "paused"),
                new HistoryEvent.TrackingStarted(1),
                new HistoryEvent.Checked(1, LocalDate.EPOCH),
                new HistoryEvent.HandleTraced(1, REQUEST, Reachability.held()),
                new HistoryEvent.RoundBegan(1, 8),
                new HistoryEvent.RoundEnded(1, 8));
    }
}
