package dev.meshguard.report.json;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The requests and origins described so far in a history, by number; each request is one object. */
final class RequestTable {

    /** Data that many requests share is kept once; if nothing is shared, the table costs no more. */
    private static final int MAX_SHARED = 65_536;

    private final Map<Long, MemoryRequest> requests = new HashMap<>();
    private final Map<Long, Origin> origins = new HashMap<>();
    private final Map<AllocationDetails, AllocationDetails> shared = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();

    /** Returns the request to which an event refers; an unknown one if it refers to none. */
    MemoryRequest of(JsonFields event) throws UnreadableLineException {
        if (!event.has(SharedLines.REQUEST)) {
            return MemoryRequest.of(AllocationDetails.user());
        }
        long number = event.number(SharedLines.REQUEST);
        MemoryRequest request = requests.get(number);
        if (request == null) {
            throw new UnreadableLineException("request " + number + " was not described before it");
        }
        return request;
    }

    /** Adds a request; also one with an unknown origin, because an origin only explains. */
    void addRequest(JsonFields line) throws UnreadableLineException {
        Optional<Origin> origin = line.has(SharedLines.ORIGIN)
                ? Optional.ofNullable(origins.get(line.number(SharedLines.ORIGIN)))
                : Optional.empty();
        MemoryRequest request = MemoryRequest.restored(details(line), origin);
        if (requests.putIfAbsent(line.number("id"), request) != null) {
            throw new UnreadableLineException("request " + line.number("id") + " was described before");
        }
        if (line.has(SharedLines.ORIGIN) && origin.isEmpty()) {
            throw new UnreadableLineException(
                    "origin " + line.number(SharedLines.ORIGIN) + " was not described before it");
        }
    }

    void addOrigin(JsonFields line) throws UnreadableLineException {
        List<StackTraceElement> frames = new ArrayList<>();
        for (JsonFields frame : line.objects("frames")) {
            frames.add(frame(frame));
        }
        if (origins.putIfAbsent(line.number("id"), new Origin(frames)) != null) {
            throw new UnreadableLineException("origin " + line.number("id") + " was described before");
        }
    }

    private AllocationDetails details(JsonFields line) throws UnreadableLineException {
        Optional<JsonFields> owner = line.optionalObject("owner");
        AllocationDetails details = new AllocationDetails(
                line.optionalChoice("buffer", BufferKind.class).orElse(BufferKind.BUFFER),
                line.optionalChoice("lifetime", BufferLifetime.class).orElse(BufferLifetime.USER),
                owner.isPresent() ? Optional.of(EventForm.owner(owner.get())) : Optional.empty(),
                line.optionalText("label"),
                line.optionalNumber("extent"),
                line.optionalNumber("process"),
                line.optionalInteger("mesh"),
                line.isTrue("handleCollected"),
                line.optionalInteger("connection"),
                EventForm.allocator(line),
                line.isTrue("view"),
                line.optionalText("source"),
                line.isTrue("freedOnCollection"));
        AllocationDetails known = shared.get(details);
        if (known != null) {
            return known;
        }
        if (shared.size() < MAX_SHARED) {
            shared.put(details, details);
        }
        return details;
    }

    private StackTraceElement frame(JsonFields frame) throws UnreadableLineException {
        return new StackTraceElement(
                name(frame, "loader"),
                name(frame, "module"),
                name(frame, "moduleVersion"),
                shared(frame.text("class")),
                shared(frame.text("method")),
                name(frame, "file"),
                frame.integer("line"));
    }

    private @Nullable String name(JsonFields frame, String field) throws UnreadableLineException {
        Optional<String> name = frame.optionalText(field);
        return name.isEmpty() ? null : shared(name.get());
    }

    private String shared(String name) {
        String known = names.putIfAbsent(name, name);
        return known == null ? name : known;
    }
}
