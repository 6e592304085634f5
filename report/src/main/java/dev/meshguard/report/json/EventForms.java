package dev.meshguard.report.json;

import static dev.meshguard.report.internal.JsonPart.amount;
import static dev.meshguard.report.internal.JsonPart.choice;
import static dev.meshguard.report.internal.JsonPart.instant;
import static dev.meshguard.report.internal.JsonPart.integer;
import static dev.meshguard.report.internal.JsonPart.integers;
import static dev.meshguard.report.internal.JsonPart.number;
import static dev.meshguard.report.internal.JsonPart.numbers;
import static dev.meshguard.report.internal.JsonPart.object;
import static dev.meshguard.report.internal.JsonPart.objects;
import static dev.meshguard.report.internal.JsonPart.optionalInteger;
import static dev.meshguard.report.internal.JsonPart.optionalNumber;
import static dev.meshguard.report.internal.JsonPart.record;
import static dev.meshguard.report.internal.JsonPart.text;
import static dev.meshguard.report.internal.JsonPart.texts;
import static dev.meshguard.report.internal.JsonPart.truth;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.References;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.report.internal.JsonObject;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.UnreadableLineException;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The JSON forms of all kinds of events, and of the values in them. */
final class EventForms {

    static final JsonPart<BufferType> TYPE = choice("type", BufferType.class);

    /** The device of memory; memory of no device has a word instead of a number. */
    static final JsonPart<Integer> MEMORY_DEVICE =
            JsonPart.of("device", EventForms::writeMemoryDevice, EventForms::memoryDevice);

    static final JsonPart<Owner> OWNER = owner("owner");

    /** The allocator, if it is known. */
    static final JsonPart<Optional<AllocatorId>> ALLOCATOR = JsonPart.of(
                    "allocator", EventForms::writeAllocator, EventForms::allocator)
            .optional();

    /** The words of a source, if they are known. */
    static final JsonPart<Optional<SourceVocabulary>> VOCABULARY = object(
                    "vocabulary",
                    record(
                            SourceVocabulary.class,
                            text("memory").optional(),
                            text("unit"),
                            text("free"),
                            text("freed"),
                            text("end")))
            .optional();

    private static final String NO_DEVICE = "none";

    private static final JsonPart<Integer> DEVICE =
            JsonPart.of("device", (device, json) -> json.writeNumberField("device", device), EventForms::device);
    private static final JsonPart<AllocatorId.Kind> ALLOCATOR_KIND = choice("allocator", AllocatorId.Kind.class);
    private static final JsonPart<Integer> MANAGER = integer("manager");
    private static final JsonPart<Integer> SUB_DEVICE = integer("subDevice");
    private static final JsonPart<Long> ADDRESS = number("address");
    private static final JsonPart<Long> SIZE = amount("size");
    private static final JsonPart<IgnoredFreeReason> FREE_REASON = choice("reason", IgnoredFreeReason.class);
    private static final JsonPart<Phase> PHASE = text("phase").as(Phase::new, Phase::name);
    private static final JsonPart<Ownership> OWNERSHIP =
            choice("ownership", Ownership.class).orElse(Ownership.UNKNOWN);
    private static final JsonPart<Instant> AT = instant("at");
    private static final JsonPart<Integer> MESH = integer("mesh");
    private static final JsonPart<Owner> TRACE = owner("trace");
    private static final JsonPart<String> REASON = text("reason");

    private static final JsonPart<MemoryCapacity> CAPACITY =
            record(MemoryCapacity.class, TYPE, integer("banks"), number("bytesPerBank"), optionalNumber("base"));
    private static final JsonPart<MeshDescription> DESCRIPTION = record(
            MeshDescription.class,
            MESH,
            text("name"),
            integers("devices"),
            integer("busiestDevice").orElse(-1),
            optionalInteger("parent"),
            objects("capacities", CAPACITY).orElse(List.of()));
    private static final JsonPart<CacheKey> CACHE_KEY =
            object("key", record(CacheKey.class, text("operation"), texts("properties")));
    private static final JsonPart<SourceDescription> SOURCE = record(
            SourceDescription.class,
            text("source"),
            text("covers").optional(),
            truth("infersFrees").orElse(false),
            VOCABULARY,
            text("unseen").optional());
    private static final JsonPart<Reachability> REACHABILITY =
            record(Reachability.class, choice("state", Reachability.State.class), texts("path"));
    /** The frames of a call stack. */
    static final JsonPart<Origin> FRAMES = objects(
                    "frames",
                    record(
                            Frame.class,
                            text("class"),
                            text("method"),
                            text("file").optional(),
                            integer("line"),
                            text("loader").optional(),
                            text("module").optional(),
                            text("moduleVersion").optional()))
            .as(
                    frames -> new Origin(frames.stream().map(Frame::element).toList()),
                    origin -> origin.frames().stream().map(Frame::of).toList());

    private static final JsonPart<References.Use> USE =
            record(References.Use.class, FRAMES, text("hint").optional());
    private static final JsonPart<References> REFERENCES = record(
            References.class,
            number("retains"),
            number("releases"),
            object("retained", USE).optional(),
            object("released", USE).optional(),
            object("touched", USE).optional());
    private static final JsonPart<WitnessSnapshot> SNAPSHOT = record(
                    Snapshot.class,
                    MESH,
                    choice("moment", WitnessSnapshot.Moment.class),
                    ALLOCATOR,
                    objects("regions", record(Region.class, DEVICE, TYPE, numbers("allocated"))))
            .as(Snapshot::snapshot, Snapshot::of);

    private EventForms() {}

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

        /** Many frames share their names. */
        private StackTraceElement element() {
            return new StackTraceElement(
                    loader.map(String::intern).orElse(null),
                    module.map(String::intern).orElse(null),
                    moduleVersion.map(String::intern).orElse(null),
                    type.intern(),
                    method.intern(),
                    file.map(String::intern).orElse(null),
                    line);
        }
    }

    /** A snapshot as its line has it. */
    private record Snapshot(
            int mesh, WitnessSnapshot.Moment moment, Optional<AllocatorId> allocator, List<Region> regions) {

        private static Snapshot of(WitnessSnapshot snapshot) {
            List<Region> regions = new ArrayList<>();
            for (int device : snapshot.devices()) {
                for (BufferType type : BufferType.values()) {
                    if (snapshot.stateOf(device, type, 0) != AddressState.UNKNOWN) {
                        regions.add(new Region(device, type, snapshot.allocatedAddresses(device, type)));
                    }
                }
            }
            return new Snapshot(snapshot.mesh(), snapshot.moment(), snapshot.allocator(), regions);
        }

        private WitnessSnapshot snapshot() {
            Map<Integer, Map<BufferType, List<Long>>> allocated = new HashMap<>();
            for (Region region : regions) {
                allocated
                        .computeIfAbsent(region.device(), unused -> new EnumMap<>(BufferType.class))
                        .computeIfAbsent(region.type(), unused -> new ArrayList<>())
                        .addAll(region.allocated());
            }
            return new WitnessSnapshot(mesh, moment, allocator, allocated);
        }
    }

    private record Region(int device, BufferType type, List<Long> allocated) {}

    /**
     * Returns the forms of all kinds.
     *
     * @param request refers to the request of an event
     */
    static List<LineForm<? extends HistoryEvent>> all(JsonPart<MemoryRequest> request) {
        return List.of(
                form("allocated", HistoryEvent.Allocated.class, request, MEMORY_DEVICE, TYPE, ADDRESS, SIZE, OWNERSHIP),
                form("freed", HistoryEvent.Freed.class, request, MEMORY_DEVICE, TYPE, ADDRESS, OWNERSHIP),
                form("freeIgnored", HistoryEvent.FreeIgnored.class, request, MEMORY_DEVICE, TYPE, ADDRESS, FREE_REASON),
                form("phaseBegan", HistoryEvent.PhaseBegan.class, AT, PHASE),
                form("meshOpened", HistoryEvent.MeshOpened.class, AT, DESCRIPTION),
                form("meshClosing", HistoryEvent.MeshClosing.class, AT, MESH),
                form("meshClosed", HistoryEvent.MeshClosed.class, AT, MESH),
                form("deviceOpened", HistoryEvent.DeviceOpened.class, DEVICE),
                form("deviceClosed", HistoryEvent.DeviceClosed.class, DEVICE),
                form("ownerCached", HistoryEvent.OwnerCached.class, OWNER, text("cache"), CACHE_KEY.optional()),
                form("ownerEnded", HistoryEvent.OwnerEnded.class, OWNER),
                form("captureBegan", HistoryEvent.CaptureBegan.class, MESH, TRACE),
                form("programCaptured", HistoryEvent.ProgramCaptured.class, TRACE, OWNER, ALLOCATOR),
                form("bufferCaptured", HistoryEvent.BufferCaptured.class, TRACE, request),
                form("resultCaptured", HistoryEvent.ResultCaptured.class, TRACE, request),
                form("resultRead", HistoryEvent.ResultRead.class, request),
                form("captureEnded", HistoryEvent.CaptureEnded.class, TRACE),
                form("traceReplayed", HistoryEvent.TraceReplayed.class, TRACE, objects("inFlight", ownerFields())),
                form("witnessed", HistoryEvent.Witnessed.class, SNAPSHOT),
                form("reportsLost", HistoryEvent.ReportsLost.class, number("count"), REASON),
                form("sourceAttached", HistoryEvent.SourceAttached.class, SOURCE),
                form("processDied", HistoryEvent.ProcessDied.class, number("process")),
                form("sourceNoted", HistoryEvent.SourceNoted.class, text("note")),
                form("trackingStopped", HistoryEvent.TrackingStopped.class, REASON),
                form("trackingStarted", HistoryEvent.TrackingStarted.class),
                form("checked", HistoryEvent.Checked.class, text("today").as(LocalDate::parse, LocalDate::toString)),
                form("handleTraced", HistoryEvent.HandleTraced.class, request, REACHABILITY),
                form("referencesCounted", HistoryEvent.ReferencesCounted.class, request, REFERENCES),
                form("roundBegan", HistoryEvent.RoundBegan.class, integer("round")),
                form("roundEnded", HistoryEvent.RoundEnded.class, integer("round")));
    }

    private static <E extends Record & HistoryEvent> LineForm<E> form(
            String kind, Class<E> type, JsonPart<?>... afterNumber) {
        List<JsonPart<?>> parts = new ArrayList<>(List.of(number("number")));
        parts.addAll(List.of(afterNumber));
        return LineForm.of(kind, type, parts.toArray(JsonPart<?>[]::new));
    }

    private static JsonPart<Owner> owner(String name) {
        return object(name, ownerFields());
    }

    private static JsonPart<Owner> ownerFields() {
        return record(Owner.class, choice("kind", Owner.Kind.class), text("name"));
    }

    private static void writeMemoryDevice(int device, JsonGenerator json) throws IOException {
        if (device == HistoryEvent.NO_DEVICE) {
            json.writeStringField("device", NO_DEVICE);
        } else {
            json.writeNumberField("device", device);
        }
    }

    private static int memoryDevice(JsonObject fields) throws UnreadableLineException {
        return fields.isText("device", NO_DEVICE) ? HistoryEvent.NO_DEVICE : device(fields);
    }

    /** Returns the device, with the limits of a tracker. */
    private static int device(JsonObject fields) throws UnreadableLineException {
        long device = fields.number("device");
        if (device < 0 || device > HistoryEvent.MAX_DEVICE) {
            throw new UnreadableLineException(
                    "\"device\" is " + device + ", and only devices 0 to " + HistoryEvent.MAX_DEVICE + " can be");
        }
        return (int) device;
    }

    private static void writeAllocator(AllocatorId allocator, JsonGenerator json) throws IOException {
        ALLOCATOR_KIND.write(allocator.kind(), json);
        if (allocator.kind() == AllocatorId.Kind.SUB_DEVICE) {
            MANAGER.write(allocator.manager(), json);
            SUB_DEVICE.write(allocator.subDevice(), json);
        }
    }

    private static AllocatorId allocator(JsonObject fields) throws UnreadableLineException {
        AllocatorId.Kind kind = ALLOCATOR_KIND.read(fields);
        return kind == AllocatorId.Kind.SUB_DEVICE
                ? AllocatorId.subDevice(MANAGER.read(fields), SUB_DEVICE.read(fields))
                : new AllocatorId(kind, 0, 0);
    }
}
