package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryCapacity;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The JSON form of one kind of event; each kind defines its fields here for both writing and reading.
 *
 * @param kind the name of the kind in a line
 * @param type the event
 * @param writing writes the fields other than kind and number
 * @param reading reads them
 */
record EventForm<E extends HistoryEvent>(String kind, Class<E> type, Writing<E> writing, Reading reading) {

    /** Writes the fields of an event. */
    @FunctionalInterface
    interface Writing<E> {
        void write(E event, JsonGenerator json, SharedLines requests) throws IOException;
    }

    /** Creates an event from fields. */
    @FunctionalInterface
    interface Reading {
        HistoryEvent read(long number, JsonFields fields, RequestTable requests) throws UnreadableLineException;
    }

    /** All kinds, the frequent ones first. */
    static final List<EventForm<?>> ALL = List.of(
            new EventForm<>(
                    "allocated",
                    HistoryEvent.Allocated.class,
                    (event, json, requests) -> {
                        requests.refer(event.request(), json);
                        writeAddress(json, event.device(), event.type(), event.address());
                        json.writeNumberField("size", event.size());
                        ownership(json, event.ownership());
                    },
                    (number, fields, requests) -> new HistoryEvent.Allocated(
                            number,
                            requests.of(fields),
                            fields.memoryDevice(),
                            fields.choice("type", BufferType.class),
                            fields.number("address"),
                            fields.amount("size"),
                            ownership(fields))),
            new EventForm<>(
                    "freed",
                    HistoryEvent.Freed.class,
                    (event, json, requests) -> {
                        requests.refer(event.request(), json);
                        writeAddress(json, event.device(), event.type(), event.address());
                        ownership(json, event.ownership());
                    },
                    (number, fields, requests) -> new HistoryEvent.Freed(
                            number,
                            requests.of(fields),
                            fields.memoryDevice(),
                            fields.choice("type", BufferType.class),
                            fields.number("address"),
                            ownership(fields))),
            new EventForm<>(
                    "freeIgnored",
                    HistoryEvent.FreeIgnored.class,
                    (event, json, requests) -> {
                        requests.refer(event.request(), json);
                        writeAddress(json, event.device(), event.type(), event.address());
                        JsonFormat.write(json, "reason", event.reason());
                    },
                    (number, fields, requests) -> new HistoryEvent.FreeIgnored(
                            number,
                            requests.of(fields),
                            fields.memoryDevice(),
                            fields.choice("type", BufferType.class),
                            fields.number("address"),
                            fields.choice("reason", IgnoredFreeReason.class))),
            new EventForm<>(
                    "phaseBegan",
                    HistoryEvent.PhaseBegan.class,
                    (event, json, requests) -> {
                        at(json, event.at());
                        json.writeStringField("phase", event.phase().name());
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.PhaseBegan(number, at(fields), new Phase(fields.text("phase")))),
            new EventForm<>(
                    "meshOpened",
                    HistoryEvent.MeshOpened.class,
                    (event, json, requests) -> {
                        at(json, event.at());
                        mesh(json, event.mesh());
                    },
                    (number, fields, requests) -> new HistoryEvent.MeshOpened(number, at(fields), mesh(fields))),
            new EventForm<>(
                    "meshClosing",
                    HistoryEvent.MeshClosing.class,
                    (event, json, requests) -> {
                        at(json, event.at());
                        json.writeNumberField("mesh", event.mesh());
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.MeshClosing(number, at(fields), fields.integer("mesh"))),
            new EventForm<>(
                    "meshClosed",
                    HistoryEvent.MeshClosed.class,
                    (event, json, requests) -> {
                        at(json, event.at());
                        json.writeNumberField("mesh", event.mesh());
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.MeshClosed(number, at(fields), fields.integer("mesh"))),
            new EventForm<>(
                    "deviceOpened",
                    HistoryEvent.DeviceOpened.class,
                    (event, json, requests) -> json.writeNumberField("device", event.device()),
                    (number, fields, requests) -> new HistoryEvent.DeviceOpened(number, fields.device())),
            new EventForm<>(
                    "deviceClosed",
                    HistoryEvent.DeviceClosed.class,
                    (event, json, requests) -> json.writeNumberField("device", event.device()),
                    (number, fields, requests) -> new HistoryEvent.DeviceClosed(number, fields.device())),
            new EventForm<>(
                    "ownerCached",
                    HistoryEvent.OwnerCached.class,
                    (event, json, requests) -> {
                        owner(json, event.owner());
                        json.writeStringField("cache", event.cache());
                        if (event.key().isPresent()) {
                            key(json, event.key().get());
                        }
                    },
                    (number, fields, requests) -> new HistoryEvent.OwnerCached(
                            number, owner(fields.object("owner")), fields.text("cache"), key(fields))),
            new EventForm<>(
                    "ownerEnded",
                    HistoryEvent.OwnerEnded.class,
                    (event, json, requests) -> owner(json, event.owner()),
                    (number, fields, requests) -> new HistoryEvent.OwnerEnded(number, owner(fields.object("owner")))),
            new EventForm<>(
                    "captureBegan",
                    HistoryEvent.CaptureBegan.class,
                    (event, json, requests) -> {
                        json.writeNumberField("mesh", event.mesh());
                        owner(json, "trace", event.trace());
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.CaptureBegan(number, fields.integer("mesh"), trace(fields))),
            new EventForm<>(
                    "programCaptured",
                    HistoryEvent.ProgramCaptured.class,
                    (event, json, requests) -> {
                        owner(json, "trace", event.trace());
                        owner(json, event.program());
                        allocator(json, event.subDevice());
                    },
                    (number, fields, requests) -> new HistoryEvent.ProgramCaptured(
                            number, trace(fields), owner(fields.object("owner")), allocator(fields))),
            new EventForm<>(
                    "bufferCaptured",
                    HistoryEvent.BufferCaptured.class,
                    (event, json, requests) -> {
                        requests.refer(event.request(), json);
                        owner(json, "trace", event.trace());
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.BufferCaptured(number, trace(fields), requests.of(fields))),
            new EventForm<>(
                    "captureEnded",
                    HistoryEvent.CaptureEnded.class,
                    (event, json, requests) -> owner(json, "trace", event.trace()),
                    (number, fields, requests) -> new HistoryEvent.CaptureEnded(number, trace(fields))),
            new EventForm<>(
                    "traceReplayed",
                    HistoryEvent.TraceReplayed.class,
                    (event, json, requests) -> {
                        owner(json, "trace", event.trace());
                        json.writeArrayFieldStart("inFlight");
                        for (Owner other : event.inFlight()) {
                            json.writeStartObject();
                            fields(json, other);
                            json.writeEndObject();
                        }
                        json.writeEndArray();
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.TraceReplayed(number, trace(fields), owners(fields.objects("inFlight")))),
            new EventForm<>(
                    "witnessed",
                    HistoryEvent.Witnessed.class,
                    (event, json, requests) -> reading(json, event.snapshot()),
                    (number, fields, requests) -> new HistoryEvent.Witnessed(number, reading(fields))),
            new EventForm<>(
                    "reportsLost",
                    HistoryEvent.ReportsLost.class,
                    (event, json, requests) -> {
                        json.writeNumberField("count", event.count());
                        json.writeStringField("reason", event.reason());
                    },
                    (number, fields, requests) ->
                            new HistoryEvent.ReportsLost(number, fields.number("count"), fields.text("reason"))),
            new EventForm<>(
                    "sourceAttached",
                    HistoryEvent.SourceAttached.class,
                    (event, json, requests) -> {
                        json.writeStringField("source", event.source().name());
                        if (event.source().covers().isPresent()) {
                            json.writeStringField(
                                    "covers", event.source().covers().get());
                        }
                        if (event.source().infersFrees()) {
                            json.writeBooleanField("infersFrees", true);
                        }
                        if (event.source().vocabulary().isPresent()) {
                            vocabulary(json, event.source().vocabulary().get());
                        }
                    },
                    (number, fields, requests) -> new HistoryEvent.SourceAttached(
                            number,
                            new SourceDescription(
                                    fields.text("source"),
                                    fields.optionalText("covers"),
                                    fields.isTrue("infersFrees"),
                                    fields.has("vocabulary")
                                            ? Optional.of(vocabulary(fields.object("vocabulary")))
                                            : Optional.empty()))),
            new EventForm<>(
                    "processDied",
                    HistoryEvent.ProcessDied.class,
                    (event, json, requests) -> json.writeNumberField("process", event.processId()),
                    (number, fields, requests) -> new HistoryEvent.ProcessDied(number, fields.number("process"))),
            new EventForm<>(
                    "sourceNoted",
                    HistoryEvent.SourceNoted.class,
                    (event, json, requests) -> json.writeStringField("note", event.note()),
                    (number, fields, requests) -> new HistoryEvent.SourceNoted(number, fields.text("note"))),
            new EventForm<>(
                    "trackingStopped",
                    HistoryEvent.TrackingStopped.class,
                    (event, json, requests) -> json.writeStringField("reason", event.reason()),
                    (number, fields, requests) -> new HistoryEvent.TrackingStopped(number, fields.text("reason"))),
            new EventForm<>(
                    "trackingStarted",
                    HistoryEvent.TrackingStarted.class,
                    (event, json, requests) -> {},
                    (number, fields, requests) -> new HistoryEvent.TrackingStarted(number)),
            new EventForm<>(
                    "checked",
                    HistoryEvent.Checked.class,
                    (event, json, requests) ->
                            json.writeStringField("today", event.today().toString()),
                    (number, fields, requests) ->
                            new HistoryEvent.Checked(number, LocalDate.parse(fields.text("today")))),
            new EventForm<>(
                    "handleTraced",
                    HistoryEvent.HandleTraced.class,
                    (event, json, requests) -> {
                        requests.refer(event.request(), json);
                        JsonFormat.write(json, "state", event.reachability().state());
                        texts(json, "path", event.reachability().path());
                    },
                    (number, fields, requests) -> new HistoryEvent.HandleTraced(
                            number,
                            requests.of(fields),
                            new Reachability(fields.choice("state", Reachability.State.class), fields.texts("path")))),
            new EventForm<>(
                    "roundBegan",
                    HistoryEvent.RoundBegan.class,
                    (event, json, requests) -> json.writeNumberField("round", event.round()),
                    (number, fields, requests) -> new HistoryEvent.RoundBegan(number, fields.integer("round"))),
            new EventForm<>(
                    "roundEnded",
                    HistoryEvent.RoundEnded.class,
                    (event, json, requests) -> json.writeNumberField("round", event.round()),
                    (number, fields, requests) -> new HistoryEvent.RoundEnded(number, fields.integer("round"))));

    /** Writes the fields of an event of this form. */
    void write(HistoryEvent event, JsonGenerator json, SharedLines requests) throws IOException {
        writing.write(type.cast(event), json, requests);
    }

    /** Returns the request of an event that has one. */
    static Optional<MemoryRequest> requestOf(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated allocated) {
            return Optional.of(allocated.request());
        } else if (event instanceof HistoryEvent.Freed freed) {
            return Optional.of(freed.request());
        } else if (event instanceof HistoryEvent.FreeIgnored ignored) {
            return Optional.of(ignored.request());
        } else if (event instanceof HistoryEvent.HandleTraced traced) {
            return Optional.of(traced.request());
        } else if (event instanceof HistoryEvent.BufferCaptured captured) {
            return Optional.of(captured.request());
        }
        return Optional.empty();
    }

    static void owner(JsonGenerator json, Owner owner) throws IOException {
        owner(json, "owner", owner);
    }

    private static void owner(JsonGenerator json, String field, Owner owner) throws IOException {
        json.writeObjectFieldStart(field);
        fields(json, owner);
        json.writeEndObject();
    }

    private static void fields(JsonGenerator json, Owner owner) throws IOException {
        JsonFormat.write(json, "kind", owner.kind());
        json.writeStringField("name", owner.name());
    }

    static Owner owner(JsonFields fields) throws UnreadableLineException {
        return new Owner(fields.choice("kind", Owner.Kind.class), fields.text("name"));
    }

    private static Owner trace(JsonFields fields) throws UnreadableLineException {
        return owner(fields.object("trace"));
    }

    private static List<Owner> owners(List<JsonFields> objects) throws UnreadableLineException {
        List<Owner> owners = new ArrayList<>(objects.size());
        for (JsonFields object : objects) {
            owners.add(owner(object));
        }
        return owners;
    }

    private static void key(JsonGenerator json, CacheKey key) throws IOException {
        json.writeObjectFieldStart("key");
        json.writeStringField("operation", key.operation());
        texts(json, "properties", key.properties());
        json.writeEndObject();
    }

    private static Optional<CacheKey> key(JsonFields fields) throws UnreadableLineException {
        Optional<JsonFields> key = fields.optionalObject("key");
        return key.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new CacheKey(key.get().text("operation"), key.get().texts("properties")));
    }

    /** Writes the fields of an allocator, if it is known. */
    static void allocator(JsonGenerator json, Optional<AllocatorId> allocator) throws IOException {
        if (allocator.isEmpty()) {
            return;
        }
        AllocatorId known = allocator.get();
        JsonFormat.write(json, "allocator", known.kind());
        if (known.kind() == AllocatorId.Kind.SUB_DEVICE) {
            json.writeNumberField("manager", known.manager());
            json.writeNumberField("subDevice", known.subDevice());
        }
    }

    /** Reads the fields of an allocator, if present. */
    static Optional<AllocatorId> allocator(JsonFields fields) throws UnreadableLineException {
        Optional<AllocatorId.Kind> kind = fields.optionalChoice("allocator", AllocatorId.Kind.class);
        if (kind.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                switch (kind.get()) {
                    case MESH -> AllocatorId.MESH;
                    case DEVICE -> AllocatorId.DEVICE;
                    case SUB_DEVICE -> AllocatorId.subDevice(fields.integer("manager"), fields.integer("subDevice"));
                });
    }

    static void texts(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    static void integers(JsonGenerator json, String field, List<Integer> integers) throws IOException {
        json.writeArrayFieldStart(field);
        for (int integer : integers) {
            json.writeNumber(integer);
        }
        json.writeEndArray();
    }

    private static void writeAddress(JsonGenerator json, int device, BufferType type, long address) throws IOException {
        device(json, device);
        JsonFormat.write(json, "type", type);
        json.writeNumberField("address", address);
    }

    /** Writes a device id, or that the memory belongs to no device. */
    static void device(JsonGenerator json, int device) throws IOException {
        if (device == HistoryEvent.NO_DEVICE) {
            json.writeStringField("device", JsonFields.NO_DEVICE);
        } else {
            json.writeNumberField("device", device);
        }
    }

    /** Writes the words of a source. */
    static void vocabulary(JsonGenerator json, SourceVocabulary vocabulary) throws IOException {
        json.writeObjectFieldStart("vocabulary");
        if (vocabulary.memory().isPresent()) {
            json.writeStringField("memory", vocabulary.memory().get());
        }
        json.writeStringField("unit", vocabulary.unit());
        json.writeStringField("free", vocabulary.free());
        json.writeStringField("freed", vocabulary.freed());
        json.writeStringField("end", vocabulary.end());
        json.writeEndObject();
    }

    private static SourceVocabulary vocabulary(JsonFields fields) throws UnreadableLineException {
        try {
            return new SourceVocabulary(
                    fields.optionalText("memory"),
                    fields.text("unit"),
                    fields.text("free"),
                    fields.text("freed"),
                    fields.text("end"));
        } catch (IllegalArgumentException e) {
            throw new UnreadableLineException("a word of its vocabulary is blank");
        }
    }

    private static void ownership(JsonGenerator json, Ownership ownership) throws IOException {
        if (ownership != Ownership.UNKNOWN) {
            JsonFormat.write(json, "ownership", ownership);
        }
    }

    private static Ownership ownership(JsonFields fields) throws UnreadableLineException {
        return fields.optionalChoice("ownership", Ownership.class).orElse(Ownership.UNKNOWN);
    }

    private static void at(JsonGenerator json, Instant at) throws IOException {
        json.writeStringField("at", at.toString());
    }

    private static Instant at(JsonFields fields) throws UnreadableLineException {
        return Instant.parse(fields.text("at"));
    }

    private static void mesh(JsonGenerator json, MeshDescription mesh) throws IOException {
        json.writeNumberField("mesh", mesh.id());
        json.writeStringField("name", mesh.name());
        integers(json, "devices", mesh.devices());
        if (mesh.busiestDevice() != -1) {
            json.writeNumberField("busiestDevice", mesh.busiestDevice());
        }
        if (mesh.parent().isPresent()) {
            json.writeNumberField("parent", mesh.parent().getAsInt());
        }
        if (!mesh.capacities().isEmpty()) {
            json.writeArrayFieldStart("capacities");
            for (MemoryCapacity capacity : mesh.capacities()) {
                json.writeStartObject();
                JsonFormat.write(json, "type", capacity.type());
                json.writeNumberField("banks", capacity.banks());
                json.writeNumberField("bytesPerBank", capacity.bytesPerBank());
                if (capacity.base().isPresent()) {
                    json.writeNumberField("base", capacity.base().getAsLong());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    private static MeshDescription mesh(JsonFields fields) throws UnreadableLineException {
        List<MemoryCapacity> capacities = new ArrayList<>();
        for (JsonFields capacity : fields.has("capacities") ? fields.objects("capacities") : List.<JsonFields>of()) {
            capacities.add(new MemoryCapacity(
                    capacity.choice("type", BufferType.class),
                    capacity.integer("banks"),
                    capacity.number("bytesPerBank"),
                    capacity.optionalNumber("base")));
        }
        return new MeshDescription(
                fields.integer("mesh"),
                fields.text("name"),
                fields.integers("devices"),
                fields.optionalInteger("busiestDevice").orElse(-1),
                fields.optionalInteger("parent"),
                capacities);
    }

    private static void reading(JsonGenerator json, WitnessSnapshot reading) throws IOException {
        json.writeNumberField("mesh", reading.mesh());
        JsonFormat.write(json, "moment", reading.moment());
        allocator(json, reading.allocator());
        json.writeArrayFieldStart("regions");
        for (int device : reading.devices()) {
            for (BufferType type : BufferType.values()) {
                if (reading.stateOf(device, type, 0) != AddressState.UNKNOWN) {
                    region(json, reading, device, type);
                }
            }
        }
        json.writeEndArray();
    }

    private static void region(JsonGenerator json, WitnessSnapshot reading, int device, BufferType type)
            throws IOException {
        json.writeStartObject();
        json.writeNumberField("device", device);
        JsonFormat.write(json, "type", type);
        json.writeArrayFieldStart("allocated");
        for (long address : reading.allocatedAddresses(device, type)) {
            json.writeNumber(address);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static WitnessSnapshot reading(JsonFields fields) throws UnreadableLineException {
        WitnessSnapshot.Builder reading =
                WitnessSnapshot.of(fields.integer("mesh"), fields.choice("moment", WitnessSnapshot.Moment.class));
        allocator(fields).ifPresent(reading::ofAllocator);
        for (JsonFields region : fields.objects("regions")) {
            // Version 1 has another key.
            String allocated = region.has("allocated") ? "allocated" : "taken";
            reading.region(region.device(), region.choice("type", BufferType.class), region.numbers(allocated));
        }
        return reading.build();
    }
}
