package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import java.io.IOException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes each request and each call stack of a history once, as a numbered line before the first reference to it.
 *
 * <p>A request is one call that allocated or freed memory, on any number of devices.
 */
final class SharedLines {

    static final String REQUEST = "request";
    static final String ORIGIN = "origin";

    private final IdentityHashMap<MemoryRequest, Integer> requests = new IdentityHashMap<>();
    private final Map<Origin, Integer> origins = new HashMap<>();

    /** Writes the lines that a request needs before it can be referenced. */
    void describe(MemoryRequest request, JsonGenerator json) throws IOException {
        if (request.isAnonymous() || requests.containsKey(request)) {
            return;
        }
        Optional<Origin> origin = request.origin();
        int originNumber = origin.isPresent() ? numberOf(origin.get(), json) : 0;
        requests.put(request, requests.size() + 1);
        json.writeStartObject();
        json.writeStringField("kind", REQUEST);
        json.writeNumberField("id", requests.size());
        write(request.details(), json);
        if (originNumber > 0) {
            json.writeNumberField(ORIGIN, originNumber);
        }
        json.writeEndObject();
    }

    /** Writes the field that refers to a request; an unknown request has no such field. */
    void refer(MemoryRequest request, JsonGenerator json) throws IOException {
        Integer number = requests.get(request);
        if (number != null) {
            json.writeNumberField(REQUEST, number);
        }
    }

    private static void write(AllocationDetails details, JsonGenerator json) throws IOException {
        if (details.kind() != BufferKind.BUFFER) {
            JsonFormat.write(json, "buffer", details.kind());
        }
        if (details.lifetime() != BufferLifetime.USER) {
            JsonFormat.write(json, "lifetime", details.lifetime());
        }
        if (details.owner().isPresent()) {
            EventForm.owner(json, details.owner().get());
        }
        if (details.label().isPresent()) {
            json.writeStringField("label", details.label().get());
        }
        if (details.extent().isPresent()) {
            json.writeNumberField("extent", details.extent().getAsLong());
        }
        if (details.processId().isPresent()) {
            json.writeNumberField("process", details.processId().getAsLong());
        }
        if (details.mesh().isPresent()) {
            json.writeNumberField("mesh", details.mesh().getAsInt());
        }
        if (details.handleCollected()) {
            json.writeBooleanField("handleCollected", true);
        }
        if (details.connection().isPresent()) {
            json.writeNumberField("connection", details.connection().getAsInt());
        }
        EventForm.allocator(json, details.allocator());
        if (details.view()) {
            json.writeBooleanField("view", true);
        }
        if (details.source().isPresent()) {
            json.writeStringField("source", details.source().get());
        }
        if (details.freedOnCollection()) {
            json.writeBooleanField("freedOnCollection", true);
        }
    }

    /** Returns the number of an origin, and writes its line on the first call. */
    private int numberOf(Origin origin, JsonGenerator json) throws IOException {
        Integer known = origins.get(origin);
        if (known != null) {
            return known;
        }
        origins.put(origin, origins.size() + 1);
        json.writeStartObject();
        json.writeStringField("kind", ORIGIN);
        json.writeNumberField("id", origins.size());
        frames(origin, json);
        json.writeEndObject();
        return origins.size();
    }

    static void frames(Origin origin, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("frames");
        for (StackTraceElement frame : origin.frames()) {
            json.writeStartObject();
            json.writeStringField("class", frame.getClassName());
            json.writeStringField("method", frame.getMethodName());
            write(json, "file", frame.getFileName());
            json.writeNumberField("line", frame.getLineNumber());
            write(json, "loader", frame.getClassLoaderName());
            write(json, "module", frame.getModuleName());
            write(json, "moduleVersion", frame.getModuleVersion());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, String field, @Nullable String text) throws IOException {
        if (text != null) {
            json.writeStringField(field, text);
        }
    }
}
