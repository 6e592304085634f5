package dev.meshguard.report.json;

import static dev.meshguard.report.internal.JsonPart.choice;
import static dev.meshguard.report.internal.JsonPart.number;
import static dev.meshguard.report.internal.JsonPart.optionalInteger;
import static dev.meshguard.report.internal.JsonPart.optionalNumber;
import static dev.meshguard.report.internal.JsonPart.record;
import static dev.meshguard.report.internal.JsonPart.text;
import static dev.meshguard.report.internal.JsonPart.truth;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.RequestContext;
import dev.meshguard.report.internal.JsonObject;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.UnreadableLineException;
import java.io.IOException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The lines in the file of a history that contain requests and call stacks: each is written once, with a number, before
 * the first reference to it.
 *
 * <p>A request is one call that allocated or freed memory, on any number of devices. An instance writes one history, or
 * reads one.
 */
final class SharedLines {

    static final String REQUEST = "request";
    static final String ORIGIN = "origin";

    private static final JsonPart<AllocationDetails> DETAILS = record(
            AllocationDetails.class,
            choice("buffer", BufferKind.class).orElse(BufferKind.BUFFER),
            choice("lifetime", BufferLifetime.class).orElse(BufferLifetime.USER),
            EventForms.OWNER.optional(),
            text("label").optional(),
            optionalNumber("extent"),
            optionalNumber("process"),
            optionalInteger("mesh"),
            truth("handleCollected").orElse(false),
            EventForms.ALLOCATOR,
            truth("view").orElse(false),
            text("source").optional(),
            truth("freedOnCollection").orElse(false));
    private static final LineForm<RequestLine> REQUEST_LINE = LineForm.of(
            REQUEST,
            RequestLine.class,
            number("id"),
            DETAILS,
            optionalNumber(ORIGIN),
            truth("outsideContext").orElse(false));

    private static final LineForm<OriginLine> ORIGIN_LINE =
            LineForm.of(ORIGIN, OriginLine.class, number("id"), EventForms.FRAMES);

    /** Data that many requests share is kept once; if nothing is shared, the table costs no more. */
    private static final int MAX_SHARED = 65_536;

    /**
     * The line of a request.
     *
     * @param outsideContext whether the history is the part of a context that has the request as evidence only
     */
    private record RequestLine(long id, AllocationDetails details, OptionalLong origin, boolean outsideContext) {}

    private record OriginLine(long id, Origin origin) {}

    /** A request of the context whose part was saved; it equals itself only, as what it restores does. */
    private record RequestOfContext(MemoryRequest restored, Optional<RequestContext> context) implements MemoryRequest {

        @Override
        public AllocationDetails details() {
            return restored.details();
        }

        @Override
        public Optional<Origin> origin() {
            return restored.origin();
        }
    }

    private final IdentityHashMap<MemoryRequest, Long> numbersOfRequests = new IdentityHashMap<>();
    private final Map<Origin, Long> numbersOfOrigins = new HashMap<>();
    private final Map<Long, MemoryRequest> requests = new HashMap<>();
    private final Map<Long, Origin> origins = new HashMap<>();
    private final Map<AllocationDetails, AllocationDetails> details = new HashMap<>();

    /** Returns the reference of an event to its request; an unknown request has none. */
    JsonPart<MemoryRequest> reference() {
        return JsonPart.of(REQUEST, this::refer, this::request);
    }

    /**
     * Writes the lines that the request of an event needs before it can be referenced.
     *
     * @param context the context of which the history is the part
     */
    void describe(Optional<MemoryRequest> ofEvent, Optional<RequestContext> context, JsonGenerator json)
            throws IOException {
        if (ofEvent.isEmpty() || ofEvent.get().isAnonymous() || numbersOfRequests.containsKey(ofEvent.get())) {
            return;
        }
        MemoryRequest request = ofEvent.get();
        Optional<Origin> origin = request.origin();
        OptionalLong originNumber =
                origin.isPresent() ? OptionalLong.of(describe(origin.get(), json)) : OptionalLong.empty();
        long number = numbersOfRequests.size() + 1L;
        numbersOfRequests.put(request, number);
        boolean isOutside = context.isPresent() && !request.context().equals(context);
        REQUEST_LINE.write(new RequestLine(number, request.details(), originNumber, isOutside), json);
    }

    /** Returns the number of an origin, and writes its line on the first call. */
    private long describe(Origin origin, JsonGenerator json) throws IOException {
        Long known = numbersOfOrigins.get(origin);
        if (known != null) {
            return known;
        }
        long number = numbersOfOrigins.size() + 1L;
        numbersOfOrigins.put(origin, number);
        ORIGIN_LINE.write(new OriginLine(number, origin), json);
        return number;
    }

    private void refer(MemoryRequest request, JsonGenerator json) throws IOException {
        Long number = numbersOfRequests.get(request);
        if (number != null) {
            json.writeNumberField(REQUEST, number);
        }
    }

    private MemoryRequest request(JsonObject event) throws UnreadableLineException {
        if (!event.has(REQUEST)) {
            return MemoryRequest.of(AllocationDetails.user());
        }
        long number = event.number(REQUEST);
        MemoryRequest request = requests.get(number);
        if (request == null) {
            throw new UnreadableLineException("request " + number + " was not described before it");
        }
        return request;
    }

    /**
     * Adds a request; also one with an unknown origin, because an origin only explains.
     *
     * @param context the context of which the history is the part
     */
    void addRequest(JsonObject fields, Optional<RequestContext> context) throws UnreadableLineException {
        RequestLine line = REQUEST_LINE.part().read(fields);
        Optional<Origin> origin = line.origin().isPresent()
                ? Optional.ofNullable(origins.get(line.origin().getAsLong()))
                : Optional.empty();
        MemoryRequest restored = MemoryRequest.restored(shared(line.details()), origin);
        MemoryRequest request =
                context.isEmpty() || line.outsideContext() ? restored : new RequestOfContext(restored, context);
        add(REQUEST, line.id(), requests, request);
        if (line.origin().isPresent() && origin.isEmpty()) {
            throw new UnreadableLineException("origin " + line.origin().getAsLong() + " was not described before it");
        }
    }

    void addOrigin(JsonObject fields) throws UnreadableLineException {
        OriginLine line = ORIGIN_LINE.part().read(fields);
        add(ORIGIN, line.id(), origins, line.origin());
    }

    private static <V> void add(String kind, long id, Map<Long, V> lines, V value) throws UnreadableLineException {
        if (lines.putIfAbsent(id, value) != null) {
            throw new UnreadableLineException(kind + " " + id + " was described before");
        }
    }

    private AllocationDetails shared(AllocationDetails read) {
        AllocationDetails known = details.get(read);
        if (known == null && details.size() < MAX_SHARED) {
            details.put(read, read);
        }
        return known == null ? read : known;
    }
}
