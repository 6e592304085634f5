package dev.meshguard.verification.corpus.writing;

import dev.meshguard.event.HistoryEvent;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The facts of a history that files of the runtime cannot hold, in the order in which they are listed. */
enum HistoryFact {
    BUFFER_WITHOUT_ADDRESS("buffer without a valid address"),
    SHARED_ADDRESS("buffer at an address in use"),
    CIRCULAR_BUFFER("circular buffer"),
    VIEW("view"),
    REPEATED_REPORT("repeated report of a buffer"),
    UNKNOWN_FREE("free of an unknown address"),
    REPORT_AFTER_CHECK("report after the check"),
    IGNORED_FREE("ignored free", HistoryEvent.FreeIgnored.class),
    GAP("gap in the reports", HistoryEvent.ReportsLost.class),
    WITNESS_SNAPSHOT("witness snapshot", HistoryEvent.Witnessed.class),
    NOTE("note of the source", HistoryEvent.SourceNoted.class),
    PROCESS("process"),
    PROCESS_DEATH("death of a process", HistoryEvent.ProcessDied.class),
    DEVICE_OPENING(
            "opening or closing of a device",
            HistoryEvent.MeshOpened.class,
            HistoryEvent.MeshClosing.class,
            HistoryEvent.DeviceOpened.class,
            HistoryEvent.DeviceClosed.class),
    LIFETIME("lifetime of a buffer of the runtime"),
    OWNER_EVENT("caching or end of an owner", HistoryEvent.OwnerCached.class, HistoryEvent.OwnerEnded.class),
    TRACE_EVENT(
            "event of a trace",
            HistoryEvent.CaptureBegan.class,
            HistoryEvent.ProgramCaptured.class,
            HistoryEvent.BufferCaptured.class,
            HistoryEvent.ResultCaptured.class,
            HistoryEvent.ResultRead.class,
            HistoryEvent.CaptureEnded.class,
            HistoryEvent.TraceReplayed.class),
    HANDLE_SEARCH("search for a handle", HistoryEvent.HandleTraced.class),
    LABEL("label"),
    CALL_SITE("call site"),
    ROUND("round", HistoryEvent.RoundBegan.class),
    PHASE("phase", HistoryEvent.PhaseBegan.class);

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // An immutable list.
    private final List<Class<?>> events;

    HistoryFact(String text, Class<?>... events) {
        this.text = text;
        this.events = List.of(events);
    }

    /** Returns the noun for one such fact. */
    String text() {
        return text;
    }

    /** Returns the fact that an event is by itself. */
    static Optional<HistoryFact> of(HistoryEvent event) {
        return Stream.of(values())
                .filter(fact -> fact.events.contains(event.getClass()))
                .findFirst();
    }
}
