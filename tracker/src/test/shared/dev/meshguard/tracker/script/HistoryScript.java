package dev.meshguard.tracker.script;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records a history from sentences, separated by semicolons; after a comma follows a detail.
 *
 * <pre>
 * mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, owning, of program 7; witness CLOSE_BEGUN DRAM on 1: 0x1000; close
 * </pre>
 *
 * <p>A buffer has 64 bytes if no size is given. Each sentence is a line of its own for origins, except frees in a context;
 * {@code same line} is that of the request before, and with {@code same request} it is that request that reports once more. A
 * word that has no meaning is an error.
 */
public final class HistoryScript {

    private static final long SIZE = 64;

    private final AllocationTracker tracker;
    private final boolean withOrigins;
    private final Map<Integer, MeshDescription> open = new LinkedHashMap<>();
    private final Map<String, AllocationContext> contexts = new HashMap<>();
    private final Map<Long, MemoryRequest> requests = new HashMap<>();
    private MemoryRequest lastRequest = MemoryRequest.of(AllocationDetails.user());
    private Scope current = () -> {};
    private boolean isPart;
    private int line;
    private int lineOfRequest;

    private HistoryScript(AllocationTracker tracker, boolean withOrigins) {
        this.tracker = tracker;
        this.withOrigins = withOrigins;
    }

    /** Returns the history that sentences report. */
    public static AllocationHistory historyOf(String text) {
        return scriptOf(text).recorded();
    }

    /**
     * Returns a history that sentences begin. Before them may stand {@code without origins;}, as in a log, where requests cannot be
     * distinguished, or {@code banked addresses;}.
     */
    public static HistoryScript scriptOf(String text) {
        String[] conditionAndRest = text.split(";", 2);
        return switch (conditionAndRest[0].strip()) {
            case "without origins" ->
                on(AllocationTracker.builder().originCapture(OriginCapture.NONE).build())
                        .report(conditionAndRest[1]);
            case "banked addresses" ->
                on(AllocationTracker.builder().bankedAddresses().build()).report(conditionAndRest[1]);
            default -> new HistoryScript(AllocationTracker.create(), true).report(text);
        };
    }

    /** Continues the recording of a tracker, which captures origins itself. */
    public static HistoryScript on(AllocationTracker tracker) {
        return new HistoryScript(tracker, false);
    }

    /** Reports what sentences say. */
    public HistoryScript report(String text) {
        for (String sentence : text.split(";", -1)) {
            if (!sentence.isBlank()) {
                line++;
                try {
                    readSentence(Stream.of(sentence.strip().split(", ", -1))
                            .map(Words::new)
                            .toList());
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException(wrong.getMessage() + " in \"" + sentence.strip() + "\"", wrong);
                }
            }
        }
        return this;
    }

    /** Returns the history as it is. */
    public AllocationHistory recorded() {
        return tracker.history();
    }

    /** Returns the part of the history for which a context is responsible. */
    public AllocationHistory partOf(String context) {
        return recorded().partOf(context(context));
    }

    private AllocationContext context(String name) {
        return contexts.computeIfAbsent(name, tracker::context);
    }

    private void readSentence(List<Words> parts) {
        Words words = parts.get(0);
        List<Words> details = parts.subList(1, parts.size());
        String verb = words.next();
        switch (verb) {
            case "allocate", "free", "ignore" -> buffers(verb, words, details);
            case "witness" -> witness(words, details);
            case "mesh" -> mesh(words, details);
            case "source" -> source(words, details);
            default -> report(verb, words);
        }
        parts.forEach(Words::end);
    }

    private void report(String verb, Words words) {
        switch (verb) {
            case "close" -> close(words);
            case "closing" -> open.keySet().forEach(tracker::meshClosing);
            case "cached" -> tracker.ownerCached(words.owner(), "program cache");
            case "end" -> tracker.ownerEnded(words.owner());
            case "phase" -> tracker.phase(new Phase(words.rest()));
            case "stopped" -> tracker.trackingStopped(words.rest());
            case "started" -> tracker.trackingStarted();
            case "died" -> tracker.processDied(words.number());
            case "checked" -> tracker.checked(LocalDate.parse(words.isEmpty() ? "2026-11-20" : words.next()));
            case "handle" -> tracker.traced(lastRequest, handle(words));
            case "lost" -> tracker.reportsLost(words.number(), words.rest());
            case "trace" -> trace(new Owner(Owner.Kind.TRACE, words.next()), words);
            case "read" -> tracker.resultRead(requestOf(words.number()));
            case "for" -> responsible(words);
            default -> throw Words.unknown(verb);
        }
    }

    /**
     * {@code mesh 0 over 0..3}, {@code mesh 1 in 0 over 0}, a submesh whose devices are already open, or {@code mesh 0 without 0}
     * if no device is reported.
     */
    private void mesh(Words words, List<Words> details) {
        int id = words.integer();
        String relation = words.next();
        switch (relation) {
            case "over" -> {
                List<Integer> devices = words.devices();
                open(MeshDescription.of(id, "mesh " + id, devices));
                devices.forEach(tracker::deviceOpened);
            }
            case "in" -> {
                int parent = words.integer();
                List<Integer> devices = words.skip("over").devices();
                open(MeshDescription.of(id, "1x" + devices.size() + " submesh", devices).withParent(parent));
            }
            case "without" -> {
                List<Integer> devices = words.devices();
                int busiest = -1;
                for (Words detail : details) {
                    busiest = detail.skip("busiest").integer();
                }
                open(new MeshDescription(id, "mesh " + id, devices, busiest));
            }
            default -> throw Words.unknown(relation);
        }
    }

    private void open(MeshDescription mesh) {
        tracker.meshOpened(mesh);
        open.put(mesh.id(), mesh);
    }

    /** {@code close}: every open mesh with its devices; {@code close without devices}; or one mesh: {@code close 0}. */
    private void close(Words words) {
        if (words.isEmpty()) {
            open.values().forEach(mesh -> {
                tracker.meshClosed(mesh.id());
                mesh.devices().forEach(tracker::deviceClosed);
            });
            open.clear();
        } else if (words.isNext("without")) {
            words.skip("devices");
            open.keySet().forEach(tracker::meshClosed);
            open.clear();
        } else {
            closeMesh(words.integer());
        }
    }

    /** Devices that another mesh uses stay open. */
    private void closeMesh(int id) {
        MeshDescription mesh = open.remove(id);
        tracker.meshClosing(id);
        for (int device : mesh.devices()) {
            if (open.values().stream().noneMatch(other -> other.devices().contains(device))) {
                tracker.deviceClosed(device);
            }
        }
        tracker.meshClosed(id);
    }

    /**
     * {@code source snapshots}, with {@code inferring frees} if it sees no free itself; and with its words: {@code memory native
     * memory}, {@code counted in arena} and {@code freed by close closed}, or {@code objects Options}.
     */
    private void source(Words words, List<Words> details) {
        SourceDescription source = SourceDescription.of(words.rest());
        SourceVocabulary vocabulary = SourceVocabulary.MESH;
        for (Words detail : details) {
            String name = detail.next();
            switch (name) {
                case "inferring" -> {
                    detail.skip("frees");
                    source = source.inferringFrees();
                }
                case "memory" -> vocabulary = SourceVocabulary.of(detail.rest());
                case "objects" -> vocabulary = SourceVocabulary.ofObjects(detail.rest());
                case "counted" -> vocabulary = vocabulary.countedIn(detail.skip("in").next());
                case "freed" -> vocabulary = vocabulary.freedBy(detail.skip("by").next(), detail.next());
                default -> throw Words.unknown(name);
            }
        }
        tracker.sourceAttached(vocabulary.hasDevices() ? source : source.speaking(vocabulary));
    }

    /** {@code handle lost}, {@code handle unknown}, {@code handle held} or {@code handle held by Cache.all -> ArrayList[0]}. */
    private static Reachability handle(Words words) {
        String found = words.next();
        return switch (found) {
            case "lost" -> Reachability.lost();
            case "unknown" -> Reachability.unknown();
            case "held" ->
                words.isEmpty()
                        ? Reachability.held()
                        : Reachability.heldBy(
                                List.of(words.skip("by").rest().split(" -> ", -1)));
            default -> throw Words.unknown(found);
        };
    }

    /** {@code trace 1 begins}, {@code reads 0x1000}, {@code writes 0x1000}, {@code ends} and {@code replays}, on mesh 0. */
    private void trace(Owner trace, Words words) {
        String what = words.next();
        switch (what) {
            case "begins" -> tracker.captureBegan(0, trace);
            case "reads" -> tracker.bufferCaptured(trace, requestOf(words.number()));
            case "writes" -> tracker.resultCaptured(trace, requestOf(words.number()));
            case "ends" -> tracker.captureEnded(trace);
            case "replays" -> tracker.traceReplayed(trace, List.of());
            default -> throw Words.unknown(what);
        }
    }

    private MemoryRequest requestOf(long address) {
        MemoryRequest request = requests.get(address);
        if (request == null) {
            throw new IllegalArgumentException("Nothing was allocated at " + address);
        }
        return request;
    }

    /** {@code for decode}: the context of that name is responsible from here on; {@code for all}: none is. */
    private void responsible(Words words) {
        current.close();
        String name = words.next();
        isPart = !name.equals("all");
        current = isPart ? context(name).makeCurrent() : () -> {};
    }

    /**
     * {@code CLOSE_BEGUN DRAM on 0: 0x1000 0x2000}, of mesh 0 unless another one is named; {@code and L1+TRACE on 0} adds regions
     * to the snapshot.
     */
    private void witness(Words words, List<Words> details) {
        WitnessSnapshot.Moment moment = words.constant(WitnessSnapshot.Moment.class);
        int mesh = 0;
        AllocatorId allocator = null;
        List<Words> regions = new ArrayList<>(List.of(words));
        for (Words detail : details) {
            String name = detail.next();
            switch (name) {
                case "mesh" -> mesh = detail.integer();
                case "allocator" -> allocator = detail.allocator();
                case "and" -> regions.add(detail);
                default -> throw Words.unknown(name);
            }
        }
        WitnessSnapshot reading = WitnessSnapshot.of(mesh, moment);
        reading = allocator == null ? reading : reading.ofAllocator(allocator);
        for (Words region : regions) {
            String[] types = region.next().split("\\+", 0);
            List<Integer> devices = region.skip("on").devices();
            long[] taken = region.numbers();
            for (String type : types) {
                reading = reading.region(devices, BufferType.valueOf(type), taken);
            }
        }
        tracker.witnessed(reading);
    }

    /** {@code DRAM 0x1000 on 0..3}, and details; {@code 0x1000..0x3000} are as many requests of one line, 0x1000 apart. */
    private void buffers(String verb, Words words, List<Words> details) {
        BufferType type = words.constant(BufferType.class);
        long[] addresses = words.addresses();
        List<Integer> devices = words.skip("on").devices();
        if (verb.equals("allocate") && details.stream().noneMatch(detail -> detail.is("same line"))) {
            lineOfRequest = line;
        }
        for (long address : addresses) {
            List<Words> left = details.stream().map(Words::again).toList();
            IgnoredFreeReason reason =
                    verb.equals("ignore") ? left.get(0).constant(IgnoredFreeReason.class) : null;
            Buffers buffers = new Buffers(type);
            buffers.places(devices, address);
            left.stream().filter(detail -> !detail.isEmpty()).forEach(buffers::detail);
            left.forEach(Words::end);
            if (verb.equals("allocate")) {
                buffers.allocate();
            } else {
                buffers.free(reason);
            }
        }
        details.forEach(Words::rest);
    }

    private record Place(int device, long address) {}

    /** The buffers that one sentence allocates or frees. */
    private final class Buffers {

        private final BufferType type;
        private final List<Place> places = new ArrayList<>();
        private final List<Ownership> repeats = new ArrayList<>();
        private @Nullable MemoryRequest request;
        private boolean hasFrames = true;
        private boolean oneByOne;
        private long size = SIZE;
        private AllocationDetails details = AllocationDetails.user();
        private Ownership ownership = Ownership.UNKNOWN;

        private Buffers(BufferType type) {
            this.type = type;
        }

        private void places(List<Integer> devices, long address) {
            devices.forEach(device -> places.add(new Place(device, address)));
        }

        private void detail(Words words) {
            String detail = words.next();
            switch (detail) {
                case "size" -> size = words.number();
                case "each" -> oneByOne = true;
                case "same" -> {
                    if (words.isNext("request")) {
                        request = lastRequest;
                    } else {
                        words.skip("line");
                    }
                }
                case "owning" -> ownership = Ownership.OWNING;
                case "view" -> ownership = Ownership.NON_OWNING;
                case "again" -> repeats.add(words.constant(Ownership.class));
                case "and" -> {
                    long address = words.number();
                    places(words.skip("on").devices(), address);
                }
                case "without" -> {
                    words.skip("frames");
                    hasFrames = false;
                }
                default -> details = detailed(detail, words);
            }
        }

        private AllocationDetails detailed(String detail, Words words) {
            return switch (detail) {
                case "of" -> details.ownedBy(words.owner());
                case "circular" ->
                    AllocationDetails.circularBuffer(words.skip("buffer").skip("of").owner());
                case "lifetime" -> details.withLifetime(words.constant(BufferLifetime.class));
                case "mesh" -> details.onMesh(words.integer());
                case "allocator" -> details.fromAllocator(words.allocator());
                case "pointer" -> details.asView();
                case "label" -> details.labelled(words.rest());
                case "from" -> details.fromSource(words.next());
                case "extent" -> details.withExtent(words.number());
                case "collectable" -> details.asFreedOnCollection();
                case "collected" -> details.ofCollectedHandle();
                case "process" -> details.reportedBy(words.number());
                default -> throw Words.unknown(detail);
            };
        }

        private void allocate() {
            lastRequest = request == null ? request() : request;
            MemoryRequest ofAll = lastRequest;
            places.forEach(place -> allocate(oneByOne ? request() : ofAll, place, ownership));
            repeats.forEach(repeat -> places.forEach(place -> allocate(ofAll, place, repeat)));
        }

        /** A request of a context keeps its own origin. */
        private MemoryRequest request() {
            MemoryRequest captured = tracker.request(details);
            return withOrigins && captured.context().isEmpty() ? atLine(lineOfRequest) : captured;
        }

        private MemoryRequest atLine(int number) {
            var frame = new StackTraceElement("dev.example.HistoryTests", "story", "HistoryTests.java", number);
            return MemoryRequest.restored(details, Optional.of(hasFrames ? Origin.of(frame) : Origin.of()));
        }

        private void allocate(MemoryRequest by, Place place, Ownership as) {
            requests.put(place.address(), by);
            tracker.allocated(by, place.device(), type, place.address(), size, as);
        }

        private void free(@Nullable IgnoredFreeReason reason) {
            MemoryRequest release = withOrigins && !isPart ? atLine(line) : tracker.release(details);
            for (Place place : places) {
                if (reason == null) {
                    tracker.freed(release, place.device(), type, place.address(), ownership);
                } else {
                    tracker.freeIgnored(release, place.device(), type, place.address(), reason);
                }
            }
        }
    }
}
