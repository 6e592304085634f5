package dev.meshguard.report.json;

import static dev.meshguard.report.internal.JsonPart.choice;
import static dev.meshguard.report.internal.JsonPart.integer;
import static dev.meshguard.report.internal.JsonPart.number;
import static dev.meshguard.report.internal.JsonPart.objects;
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
import dev.meshguard.report.internal.JsonFields;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.UnreadableLineException;
import java.io.IOException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * The lines of requests and call stacks: each is written once, with a number, before the first reference to it.
 *
 * <p>A request is one call that allocated or freed memory, on any number of devices. An instance writes one history, or
 * reads one.
 */
final class SharedLines {

    static final String REQUEST = "request";
    static final String ORIGIN = "origin";

    private static final JsonPart<List<Frame>> FRAMES = objects(
            "frames",
            record(
                    Frame.class,
                    text("class"),
                    text("method"),
                    text("file").optional(),
                    integer("line"),
                    text("loader").optional(),
                    text("module").optional(),
                    text("moduleVersion").optional()));
    private static final JsonPart<AllocationDetails> DETAILS = record(
            AllocationDetails.class,
            choice("buffer", BufferKind.class).orElse(BufferKind.BUFFER),
            choice("lifetime", BufferLifetime.class).orElse(BufferLifetime.USER),
            EventForm.OWNER.optional(),
            text("label").optional(),
            optionalNumber("extent"),
            optionalNumber("process"),
            optionalInteger("mesh"),
            truth("handleCollected").orElse(false),
            optionalInteger("connection"),
            EventForm.ALLOCATOR,
            truth("view").orElse(false),
            text("source").optional(),
            truth("freedOnCollection").orElse(false));
    private static final JsonPart<OptionalLong> ORIGIN_NUMBER = optionalNumber(ORIGIN);
    private static final JsonPart<Long> ID = number("id");

    /** Data that many requests share is kept once; if nothing is shared, the table costs no more. */
    private static final int MAX_SHARED = 65_536;

    /** A frame of a call stack, as its object has it. */
    private record Frame(
            String type,
            String method,
            Optional<String> file,
            int line,
            Optional<String> loader,
            Optional<String> module,
            Optional<String> moduleVersion) {

        private static Frame of(StackTraceElement frame) {
            return new Frame(
                    frame.getClassName(),
                    frame.getMethodName(),
                    Optional.ofNullable(frame.getFileName()),
                    frame.getLineNumber(),
                    Optional.ofNullable(frame.getClassLoaderName()),
                    Optional.ofNullable(frame.getModuleName()),
                    Optional.ofNullable(frame.getModuleVersion()));
        }

        private StackTraceElement element(UnaryOperator<String> shared) {
            return new StackTraceElement(
                    loader.map(shared).orElse(null),
                    module.map(shared).orElse(null),
                    moduleVersion.map(shared).orElse(null),
                    shared.apply(type),
                    shared.apply(method),
                    file.map(shared).orElse(null),
                    line);
        }
    }

    private final IdentityHashMap<MemoryRequest, Long> numbersOfRequests = new IdentityHashMap<>();
    private final Map<Origin, Long> numbersOfOrigins = new HashMap<>();
    private final Map<Long, MemoryRequest> requests = new HashMap<>();
    private final Map<Long, Origin> origins = new HashMap<>();
    private final Map<AllocationDetails, AllocationDetails> details = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();

    /** Returns the reference of an event to its request; an unknown request has none. */
    JsonPart<MemoryRequest> reference() {
        return JsonPart.of(REQUEST, this::refer, this::request);
    }

    /** Writes the lines that a request needs before it can be referenced. */
    void describe(MemoryRequest request, JsonGenerator json) throws IOException {
        if (request.isAnonymous() || numbersOfRequests.containsKey(request)) {
            return;
        }
        Optional<Origin> origin = request.origin();
        OptionalLong originNumber =
                origin.isPresent() ? OptionalLong.of(describe(origin.get(), json)) : OptionalLong.empty();
        long number = numbersOfRequests.size() + 1L;
        numbersOfRequests.put(request, number);
        begin(REQUEST, number, json);
        DETAILS.write(request.details(), json);
        ORIGIN_NUMBER.write(originNumber, json);
        json.writeEndObject();
    }

    /** Returns the number of an origin, and writes its line on the first call. */
    private long describe(Origin origin, JsonGenerator json) throws IOException {
        Long known = numbersOfOrigins.get(origin);
        if (known != null) {
            return known;
        }
        long number = numbersOfOrigins.size() + 1L;
        numbersOfOrigins.put(origin, number);
        begin(ORIGIN, number, json);
        writeFrames(origin, json);
        json.writeEndObject();
        return number;
    }

    /** Writes the field with the frames of a call stack. */
    static void writeFrames(Origin origin, JsonGenerator json) throws IOException {
        FRAMES.write(origin.frames().stream().map(Frame::of).toList(), json);
    }

    private static void begin(String kind, long id, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", kind);
        ID.write(id, json);
    }

    private void refer(MemoryRequest request, JsonGenerator json) throws IOException {
        Long number = numbersOfRequests.get(request);
        if (number != null) {
            json.writeNumberField(REQUEST, number);
        }
    }

    private MemoryRequest request(JsonFields event) throws UnreadableLineException {
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

    /** Adds a request; also one with an unknown origin, because an origin only explains. */
    void addRequest(JsonFields line) throws UnreadableLineException {
        OptionalLong originNumber = ORIGIN_NUMBER.read(line);
        Optional<Origin> origin = originNumber.isPresent()
                ? Optional.ofNullable(origins.get(originNumber.getAsLong()))
                : Optional.empty();
        MemoryRequest request = MemoryRequest.restored(shared(DETAILS.read(line)), origin);
        add(REQUEST, line, requests, request);
        if (originNumber.isPresent() && origin.isEmpty()) {
            throw new UnreadableLineException("origin " + originNumber.getAsLong() + " was not described before it");
        }
    }

    void addOrigin(JsonFields line) throws UnreadableLineException {
        List<StackTraceElement> frames = FRAMES.read(line).stream()
                .map(frame -> frame.element(name -> names.computeIfAbsent(name, same -> same)))
                .toList();
        add(ORIGIN, line, origins, new Origin(frames));
    }

    private static <V> void add(String kind, JsonFields line, Map<Long, V> lines, V value)
            throws UnreadableLineException {
        long id = ID.read(line);
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
