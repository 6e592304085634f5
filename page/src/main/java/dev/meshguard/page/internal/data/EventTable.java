package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the events of a run into the data of its page, as the rows of a table.
 *
 * <p>If there are too many, it keeps those that evidence names, those that are not buffer reports, and then the first
 * and the last.
 */
final class EventTable {

    static final int MAX_EVENTS = 50_000;

    private static final int NONE = -1;

    private final AllocationHistory history;
    private final Texts texts;
    private final Columns columns = new Columns("number", "kind", "device", "type", "address", "size", "text", "phase");

    EventTable(AllocationHistory history, Texts texts) {
        this.history = history;
        this.texts = texts;
    }

    void write(JsonGenerator json, Set<Long> named, TruncationInfo shown) throws IOException {
        List<HistoryEvent> all = history.events();
        List<HistoryEvent> some = all.size() <= MAX_EVENTS ? all : chosen(all, named);
        some.forEach(this::row);
        columns.write("events", json);
        shown.add("events", some.size(), all.size());
    }

    private static List<HistoryEvent> chosen(List<HistoryEvent> all, Set<Long> named) {
        boolean[] isChosen = new boolean[all.size()];
        int room = MAX_EVENTS;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < isChosen.length && room > 0; i++) {
                HistoryEvent event = all.get(i);
                boolean wanted = pass == 0 ? named.contains(event.number()) : !isOfBuffer(event);
                if (wanted && !isChosen[i]) {
                    isChosen[i] = true;
                    room--;
                }
            }
        }
        int first = 0;
        int last = isChosen.length - 1;
        while (room > 0 && first <= last) {
            int place = room % 2 == 0 ? first++ : last--;
            if (!isChosen[place]) {
                isChosen[place] = true;
                room--;
            }
        }
        List<HistoryEvent> chosen = new ArrayList<>(MAX_EVENTS);
        for (int i = 0; i < isChosen.length; i++) {
            if (isChosen[i]) {
                chosen.add(all.get(i));
            }
        }
        return chosen;
    }

    private static boolean isOfBuffer(HistoryEvent event) {
        return event instanceof HistoryEvent.Allocated || event instanceof HistoryEvent.Freed;
    }

    private void row(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated one) {
            row(event, "allocated", one.device(), one.type(), one.address(), one.size(), description(one.request()));
        } else if (event instanceof HistoryEvent.Freed one) {
            String collected = one.details().handleCollected() ? "its handle was collected" : "";
            row(
                    event,
                    "freed",
                    one.device(),
                    one.type(),
                    one.address(),
                    NONE,
                    joined(collected, description(one.request())));
        } else if (event instanceof HistoryEvent.FreeIgnored one) {
            String why = "because " + one.reason().description();
            row(
                    event,
                    "free ignored",
                    one.device(),
                    one.type(),
                    one.address(),
                    NONE,
                    joined(why, description(one.request())));
        } else {
            other(event);
        }
    }

    private void other(HistoryEvent event) {
        if (event instanceof HistoryEvent.PhaseBegan one) {
            row(event, "phase", one.phase().name());
        } else if (event instanceof HistoryEvent.MeshOpened one) {
            row(
                    event,
                    "mesh opened",
                    "mesh " + one.mesh().id() + ": " + one.mesh().description());
        } else if (event instanceof HistoryEvent.MeshClosing one) {
            row(event, "mesh closing", "mesh " + one.mesh());
        } else if (event instanceof HistoryEvent.MeshClosed one) {
            row(event, "mesh closed", "mesh " + one.mesh());
        } else if (event instanceof HistoryEvent.DeviceOpened one) {
            row(event, "device opened", "device " + one.device());
        } else if (event instanceof HistoryEvent.DeviceClosed one) {
            row(event, "device closed", "device " + one.device());
        } else if (event instanceof HistoryEvent.OwnerCached one) {
            row(event, "owner cached", one.owner() + " in " + one.cache());
        } else if (event instanceof HistoryEvent.OwnerEnded one) {
            row(event, "owner ended", one.owner().toString());
        } else if (event instanceof HistoryEvent.Witnessed one) {
            row(
                    event,
                    "allocator read",
                    "mesh " + one.snapshot().mesh() + ", " + one.snapshot().moment());
        } else if (event instanceof HistoryEvent.ReportsLost one) {
            row(event, "reports lost", (one.count() < 0 ? "an unknown number" : one.count()) + ": " + one.reason());
        } else if (event instanceof HistoryEvent.SourceAttached one) {
            row(
                    event,
                    "source attached",
                    one.source().name()
                            + one.source()
                                    .covers()
                                    .map(covers -> ", which covers " + covers)
                                    .orElse(""));
        } else if (event instanceof HistoryEvent.SourceNoted one) {
            row(event, "source noted", one.note());
        } else if (event instanceof HistoryEvent.ProcessDied one) {
            row(event, "process died", "process " + one.processId());
        } else if (event instanceof HistoryEvent.TrackingStopped one) {
            row(event, "tracking stopped", one.reason());
        } else if (event instanceof HistoryEvent.TrackingStarted) {
            row(event, "tracking started", "");
        } else if (event instanceof HistoryEvent.HandleTraced one) {
            row(event, "handle traced", traced(one));
        } else if (event instanceof HistoryEvent.ReferencesCounted one) {
            row(event, "references counted", one.references().toString());
        } else if (event instanceof HistoryEvent.RoundBegan one) {
            row(event, "round began", "round " + one.round());
        } else if (event instanceof HistoryEvent.RoundEnded one) {
            row(event, "round ended", "round " + one.round());
        } else if (event instanceof HistoryEvent.Checked one) {
            row(event, "check", one.today().toString());
        } else if (event instanceof HistoryEvent.CaptureBegan one) {
            row(event, "capture began", one.trace().toString());
        } else if (event instanceof HistoryEvent.ProgramCaptured one) {
            row(event, "program captured", one.program() + " in " + one.trace());
        } else if (event instanceof HistoryEvent.BufferCaptured one) {
            row(event, "buffer captured", joined("in " + one.trace(), description(one.request())));
        } else if (event instanceof HistoryEvent.ResultCaptured one) {
            row(event, "result captured", joined("in " + one.trace(), description(one.request())));
        } else if (event instanceof HistoryEvent.ResultRead one) {
            row(event, "result read", description(one.request()));
        } else if (event instanceof HistoryEvent.CaptureEnded one) {
            row(event, "capture ended", one.trace().toString());
        } else if (event instanceof HistoryEvent.TraceReplayed one) {
            row(event, "trace replayed", one.trace().toString());
        }
    }

    private static String traced(HistoryEvent.HandleTraced event) {
        return event.reachability().state()
                + event.reachability()
                        .pathText()
                        .map(path -> " through " + path)
                        .orElse("");
    }

    private void row(HistoryEvent event, String kind, String words) {
        row(event, kind, NONE, NONE, NONE, NONE, words);
    }

    private void row(
            HistoryEvent event, String kind, int device, BufferType type, long address, long size, String words) {
        row(event, kind, device, texts.index(type.name()), address, size, words);
    }

    private void row(HistoryEvent event, String kind, int device, int type, long address, long size, String words) {
        columns.row(
                event.number(),
                texts.index(kind),
                MeshGrid.number(device),
                type,
                address,
                size,
                texts.index(words),
                texts.index(history.phaseAt(event.number()).name()));
    }

    /** The data that the columns do not contain. */
    private String description(MemoryRequest request) {
        AllocationDetails details = request.details();
        String words = details.label().map(Quantities::quoted).orElse("");
        words = joined(words, details.owner().map(Owner::toString).orElse(""));
        words = joined(words, details.kind() == BufferKind.CIRCULAR_BUFFER ? "circular buffer" : "");
        words = joined(
                words,
                details.processId().isPresent()
                        ? "process " + details.processId().getAsLong()
                        : "");
        Optional<String> site =
                request.hasOrigin() ? request.origin().flatMap(Origin::site).map(Object::toString) : Optional.empty();
        return joined(words, site.map(place -> "at " + place).orElse(""));
    }

    private static String joined(String one, String other) {
        return one.isEmpty() || other.isEmpty() ? one + other : one + ", " + other;
    }
}
