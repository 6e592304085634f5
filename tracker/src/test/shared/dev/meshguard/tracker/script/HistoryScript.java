package dev.meshguard.tracker.script;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.history.AllocationHistory;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Builds a history with the verbs of a test.
 *
 * <p>Verbs are reported in the order in which they are written. Methods after a verb ({@link #ownedBy},
 * {@link #owning}) add details to it. An allocation's origin is the line that requests it.
 *
 * <pre>{@code
 * history().allocate(L1, device(0), 101_152, 4_096).circularBufferOf(program(7)).endOf(program(7)).closed();
 * }</pre>
 *
 * <p>A history without loops or values of its own is shorter as {@linkplain #report sentences}.
 */
public final class HistoryScript {

    private final AllocationTracker tracker;
    private final boolean withOrigins;
    private final Map<Integer, MeshDescription> open = new LinkedHashMap<>();
    private final HistorySentences sentences = new HistorySentences(this);
    private @Nullable Verb pending;
    private final Map<Long, MemoryRequest> requests = new LinkedHashMap<>();
    private MemoryRequest lastRequest = MemoryRequest.of(AllocationDetails.user());

    private HistoryScript(AllocationTracker tracker, boolean withOrigins) {
        this.tracker = tracker;
        this.withOrigins = withOrigins;
    }

    /** Starts a history with origins. */
    public static HistoryScript history() {
        return new HistoryScript(AllocationTracker.create(), true);
    }

    /** Starts a history as a log has it: requests cannot be distinguished. */
    public static HistoryScript historyWithoutOrigins() {
        return on(AllocationTracker.builder().originCapture(OriginCapture.NONE).build());
    }

    /** Returns the history that sentences report. */
    public static AllocationHistory historyOf(String text) {
        return scriptOf(text).recorded();
    }

    /**
     * Returns a history that sentences begin. Before them may stand {@code without origins;} or {@code banked addresses;}.
     */
    public static HistoryScript scriptOf(String text) {
        String[] conditionAndRest = text.split(";", 2);
        return switch (conditionAndRest[0].strip()) {
            case "without origins" -> historyWithoutOrigins().report(conditionAndRest[1]);
            case "banked addresses" ->
                on(AllocationTracker.builder().bankedAddresses().build()).report(conditionAndRest[1]);
            default -> history().report(text);
        };
    }

    /** Continues the recording of a tracker. */
    public static HistoryScript on(AllocationTracker tracker) {
        return new HistoryScript(tracker, false);
    }

    /** Returns one device. */
    public static int[] device(int device) {
        return new int[] {device};
    }

    /** Returns the devices from the first to the last. */
    public static int[] devices(int first, int last) {
        return IntStream.rangeClosed(first, last).toArray();
    }

    /** Returns a program. */
    public static Owner program(int number) {
        return Owner.program(Integer.toString(number));
    }

    /** Reports sentences, as {@link HistorySentences} describes them. */
    public HistoryScript report(String text) {
        sentences.read(text);
        return this;
    }

    // Meshes

    /** Opens a mesh, and initialises its devices. */
    public HistoryScript mesh(int id, int... devices) {
        meshWithoutDevices(id, devices);
        for (int device : devices) {
            tracker.deviceOpened(device);
        }
        return this;
    }

    /** Opens a mesh of a source that does not report the initialisation of devices. */
    public HistoryScript meshWithoutDevices(int id, int... devices) {
        return opened(MeshDescription.of(id, "mesh " + id, list(devices)));
    }

    /** Opens a submesh: its devices are already open and stay unchanged. */
    public HistoryScript submesh(int id, int parent, int... devices) {
        return opened(MeshDescription.of(id, "1x" + devices.length + " submesh", list(devices))
                .withParent(parent));
    }

    /** Opens a mesh as described. */
    HistoryScript opened(MeshDescription mesh) {
        tracker().meshOpened(mesh);
        open.put(mesh.id(), mesh);
        return this;
    }

    static List<Integer> list(int[] devices) {
        return IntStream.of(devices).boxed().toList();
    }

    /** Closes one mesh; devices that another one uses stay open. */
    public HistoryScript closeMesh(int id) {
        flush();
        MeshDescription mesh = open.remove(id);
        tracker.meshClosing(id);
        for (int device : mesh.devices()) {
            if (open.values().stream().noneMatch(other -> other.devices().contains(device))) {
                tracker.deviceClosed(device);
            }
        }
        tracker.meshClosed(id);
        return this;
    }

    /** Begins the close of every open mesh. */
    public HistoryScript closing() {
        flush();
        open.keySet().forEach(tracker::meshClosing);
        return this;
    }

    /** Closes every open mesh with its devices. */
    public HistoryScript close() {
        flush();
        open.values().forEach(mesh -> {
            tracker.meshClosed(mesh.id());
            mesh.devices().forEach(tracker::deviceClosed);
        });
        open.clear();
        return this;
    }

    /** Closes every open mesh of a source that does not report devices. */
    public HistoryScript closeWithoutDevices() {
        flush();
        open.keySet().forEach(tracker::meshClosed);
        open.clear();
        return this;
    }

    /** Closes every open mesh and returns the history. */
    public AllocationHistory closed() {
        return close().recorded();
    }

    /** Returns the history as it is. */
    public AllocationHistory recorded() {
        return tracker().history();
    }

    /** Returns the part of the history for which a context is responsible. */
    public AllocationHistory partOf(String context) {
        return recorded().partOf(sentences.context(context));
    }

    /** Reports what was said so far and returns who records it. */
    AllocationTracker tracker() {
        flush();
        return tracker;
    }

    /** Returns the last request that allocated an address. */
    MemoryRequest requestOf(long address) {
        flush();
        MemoryRequest request = requests.get(address);
        if (request == null) {
            throw new IllegalArgumentException("Nothing was allocated at " + address);
        }
        return request;
    }

    // Buffers

    /** Reports one request: a buffer at the same address of each device. */
    public HistoryScript allocate(BufferType type, int[] devices, long address, long size) {
        return next(new Verb(true, type, places(devices, address), size));
    }

    /** Reports that the buffers at an address were freed. */
    public HistoryScript free(BufferType type, int[] devices, long address) {
        return next(new Verb(false, type, places(devices, address), 0));
    }

    /** Reports that a free was ignored. */
    public HistoryScript freeIgnored(BufferType type, int[] devices, long address, IgnoredFreeReason reason) {
        free(type, devices, address);
        verb().reason = reason;
        return this;
    }

    /** The request also allocated on another device, at another address. */
    public HistoryScript and(int[] devices, long address) {
        verb().places.addAll(places(devices, address));
        return this;
    }

    /** The request reported all its buffers again. */
    public HistoryScript andOnceMore(Ownership ownership) {
        verb().repeats.add(ownership);
        return this;
    }

    /** Each device has its own request. */
    HistoryScript eachOnItsOwn() {
        verb().oneByOne = true;
        return this;
    }

    /** It has a size. */
    HistoryScript size(long size) {
        verb().size = size;
        return this;
    }

    /** The request before it reports it too. */
    HistoryScript ofSameRequest() {
        verb().request = lastRequest;
        return this;
    }

    /** A line of a test requests it, or frees it. */
    HistoryScript atLine(int line) {
        verb().stack = new StackTraceElement[] {
            new StackTraceElement("dev.example.HistoryTests", "story", "HistoryTests.java", line)
        };
        verb().isAtLine = true;
        return this;
    }

    /** Nothing of its stack is known. */
    HistoryScript withoutFrames() {
        verb().stack = new StackTraceElement[0];
        return this;
    }

    /** It belonged to an owner. */
    public HistoryScript ownedBy(Owner owner) {
        verb().details = verb().details.ownedBy(owner);
        return this;
    }

    /** It was a circular buffer of a program. */
    public HistoryScript circularBufferOf(Owner program) {
        verb().details = AllocationDetails.circularBuffer(program);
        return this;
    }

    /** It had a lifetime. */
    public HistoryScript lifetime(BufferLifetime lifetime) {
        verb().details = verb().details.withLifetime(lifetime);
        return this;
    }

    /** The allocator of a mesh reserved it, or frees it. */
    public HistoryScript onMesh(int mesh) {
        verb().details = verb().details.onMesh(mesh);
        return this;
    }

    /** An allocator reserved it, or frees it. */
    public HistoryScript fromAllocator(AllocatorId allocator) {
        verb().details = verb().details.fromAllocator(allocator);
        return this;
    }

    /** It reserved nothing, and points to memory of another request. */
    public HistoryScript asView() {
        verb().details = verb().details.asView();
        return this;
    }

    /** It had a label. */
    public HistoryScript labelled(String label) {
        verb().details = verb().details.labelled(label);
        return this;
    }

    /** A source reported it. */
    HistoryScript fromSource(String source) {
        verb().details = verb().details.fromSource(source);
        return this;
    }

    /** It occupied the given number of bytes of a bank. */
    public HistoryScript extent(long bytes) {
        verb().details = verb().details.withExtent(bytes);
        return this;
    }

    /** Its library frees it some time after its last handle was collected. */
    public HistoryScript freedOnCollection() {
        verb().details = verb().details.asFreedOnCollection();
        return this;
    }

    /** Its last handle was garbage collected; no call freed it. */
    public HistoryScript ofCollectedHandle() {
        verb().details = verb().details.ofCollectedHandle();
        return this;
    }

    /** The object that reported it owned the memory. */
    public HistoryScript owning() {
        verb().ownership = Ownership.OWNING;
        return this;
    }

    /** The object that reported it only pointed to the memory. */
    public HistoryScript nonOwning() {
        verb().ownership = Ownership.NON_OWNING;
        return this;
    }

    // Everything else

    /** Reports that an owner is in the program cache. */
    public HistoryScript cached(Owner owner) {
        flush();
        tracker.ownerCached(owner, "program cache");
        return this;
    }

    /** Reports the end of an owner. */
    public HistoryScript endOf(Owner owner) {
        flush();
        tracker.ownerEnded(owner);
        return this;
    }

    /** Begins a phase that nothing ends. */
    public HistoryScript phase(Phase phase) {
        flush();
        tracker.phase(phase);
        return this;
    }

    /** Reports the addresses that the allocator of mesh 0 lists as allocated in one memory of some devices. */
    public HistoryScript witness(WitnessSnapshot.Moment moment, BufferType type, int[] devices, long... taken) {
        flush();
        tracker.witnessed(WitnessSnapshot.of(0, moment).region(list(devices), type, taken));
        return this;
    }

    /** Reports that reports are missing. */
    public HistoryScript lost(long count, String reason) {
        flush();
        tracker.reportsLost(count, reason);
        return this;
    }

    /** Connects a source that may have nothing to report. */
    public HistoryScript source(String name) {
        flush();
        tracker.sourceAttached(name);
        return this;
    }

    /** Reports that the source stops reporting. */
    public HistoryScript stopped(String reason) {
        flush();
        tracker.trackingStopped(reason);
        return this;
    }

    /** Reports that the source reports again. */
    public HistoryScript started() {
        flush();
        tracker.trackingStarted();
        return this;
    }

    /** Reports the end of a process. */
    public HistoryScript died(long processId) {
        flush();
        tracker.processDied(processId);
        return this;
    }

    /** Makes the check, on the given date. */
    public HistoryScript checkedOn(String date) {
        flush();
        tracker.checked(LocalDate.parse(date));
        return this;
    }

    /** Records the search result for the handle of the last request; the event is numbered after the report. */
    public HistoryScript traced(Reachability reachability) {
        flush();
        tracker.traced(lastRequest, reachability);
        return this;
    }

    /** Sets the process that reports the last request or free. */
    public HistoryScript by(long processId) {
        verb().details = verb().details.reportedBy(processId);
        return this;
    }

    private record Place(int device, long address) {}

    private static List<Place> places(int[] devices, long address) {
        return IntStream.of(devices)
                .mapToObj(device -> new Place(device, address))
                .toList();
    }

    /** An allocation or a free, until all its details are set. */
    private static final class Verb {
        private final boolean allocates;
        private final BufferType type;
        private final List<Place> places;
        private final List<Ownership> repeats = new ArrayList<>();
        private StackTraceElement[] stack = new Throwable().getStackTrace();
        private @Nullable MemoryRequest request;
        private boolean isAtLine;
        private boolean oneByOne;
        private @Nullable IgnoredFreeReason reason;
        private long size;
        private AllocationDetails details = AllocationDetails.user();
        private Ownership ownership = Ownership.UNKNOWN;

        private Verb(boolean allocates, BufferType type, List<Place> places, long size) {
            this.allocates = allocates;
            this.type = type;
            this.places = new ArrayList<>(places);
            this.size = size;
        }
    }

    private HistoryScript next(Verb verb) {
        flush();
        pending = verb;
        return this;
    }

    private Verb verb() {
        if (pending == null) {
            throw new IllegalStateException("There is no allocation or free to say more about");
        }
        return pending;
    }

    private void flush() {
        Verb verb = pending;
        pending = null;
        if (verb == null) {
            return;
        }
        if (!verb.allocates) {
            MemoryRequest release = withOrigins && verb.isAtLine ? known(verb) : tracker.release(verb.details);
            verb.places.forEach(place -> free(release, verb, place));
            return;
        }
        MemoryRequest request = verb.request == null ? request(verb) : verb.request;
        lastRequest = request;
        for (Place place : verb.places) {
            allocate(verb.oneByOne ? request(verb) : request, verb, place, verb.ownership);
        }
        for (Ownership ownership : verb.repeats) {
            verb.places.forEach(place -> allocate(request, verb, place, ownership));
        }
    }

    private void free(MemoryRequest release, Verb verb, Place place) {
        if (verb.reason == null) {
            tracker.freed(release, place.device(), verb.type, place.address(), verb.ownership);
        } else {
            tracker.freeIgnored(release, place.device(), verb.type, place.address(), verb.reason);
        }
    }

    private void allocate(MemoryRequest request, Verb verb, Place place, Ownership ownership) {
        requests.put(place.address(), request);
        tracker.allocated(request, place.device(), verb.type, place.address(), verb.size, ownership);
    }

    /** The stack is that of the verb; when it is reported, the next line is running. A request of a context keeps its own. */
    private MemoryRequest request(Verb verb) {
        MemoryRequest request = tracker.request(verb.details);
        return withOrigins && request.context().isEmpty() ? known(verb) : request;
    }

    private static MemoryRequest known(Verb verb) {
        return MemoryRequest.restored(verb.details, Optional.of(Origin.of(verb.stack)));
    }
}
