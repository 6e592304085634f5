package dev.meshguard.reproduce;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryCapacity;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The calls that repeat the reports of a history to a tracker. */
final class TrackerProgram {

    private final ReproductionDryRun play;
    private final JavaSource source;
    private final IdentityHashMap<MemoryRequest, Integer> uses = new IdentityHashMap<>();
    private final IdentityHashMap<MemoryRequest, String> names = new IdentityHashMap<>();
    private final Set<String> allocated = new HashSet<>(Set.of("tracker", "device", "buffer"));
    private boolean isInRow;
    private final Map<Owner, Integer> owners = new HashMap<>();
    private final Map<Owner, String> ownerNames = new HashMap<>();

    TrackerProgram(ReproductionDryRun play, JavaSource source) {
        this.play = play;
        this.source = source;
    }

    void write() {
        play.events().forEach(this::count);
        List<HistoryEvent> events = play.events();
        for (int i = 0; i < events.size(); i++) {
            List<HistoryEvent.Allocated> row = play.rowAt(i);
            if (row.isEmpty()) {
                statement(events.get(i));
            } else {
                row(row);
                i += row.size() - 1;
            }
        }
    }

    private void count(HistoryEvent event) {
        if (event instanceof HistoryEvent.OwnerCached e) {
            owners.merge(e.owner(), 1, Integer::sum);
        } else if (event instanceof HistoryEvent.OwnerEnded e) {
            owners.merge(e.owner(), 1, Integer::sum);
        }
        ofCapture(event).forEach(owner -> owners.merge(owner, 1, Integer::sum));
        request(event).ifPresent(request -> {
            if (uses.merge(request, 1, Integer::sum) == 1 || request.isAnonymous()) {
                request.details().owner().ifPresent(owner -> owners.merge(owner, 1, Integer::sum));
            }
        });
    }

    private static List<Owner> ofCapture(HistoryEvent event) {
        if (event instanceof HistoryEvent.CaptureBegan e) {
            return List.of(e.trace());
        } else if (event instanceof HistoryEvent.ProgramCaptured e) {
            return List.of(e.trace(), e.program());
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            return List.of(e.trace());
        } else if (event instanceof HistoryEvent.CaptureEnded e) {
            return List.of(e.trace());
        } else if (event instanceof HistoryEvent.TraceReplayed e) {
            return Stream.concat(Stream.of(e.trace()), e.inFlight().stream()).toList();
        }
        return List.of();
    }

    private static Optional<MemoryRequest> request(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.Freed e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            return Optional.of(e.request());
        }
        return Optional.empty();
    }

    // Buffers

    /** Allocations of one line on several devices stay on one line, because the line identifies them. */
    private void row(List<HistoryEvent.Allocated> row) {
        HistoryEvent.Allocated first = row.get(0);
        first.request().details().owner().ifPresent(this::owner);
        isInRow = true;
        boolean oneAddress = row.stream().allMatch(one -> one.address() == first.address());
        if (oneAddress) {
            source.open("for (int device : new int[] {"
                    + row.stream().map(one -> Integer.toString(one.device())).collect(Collectors.joining(", ")) + "})");
            source.line(allocation(first, "device", address(first.address())));
        } else {
            source.line("// device, address");
            source.open("for (long[] buffer : new long[][] {"
                    + row.stream()
                            .map(one -> "{" + one.device() + ", " + address(one.address()) + "}")
                            .collect(Collectors.joining(", "))
                    + "})");
            source.line(allocation(first, "(int) buffer[0]", "buffer[1]"));
        }
        source.close();
        isInRow = false;
    }

    private String allocation(HistoryEvent.Allocated event, String device, String address) {
        return isPlain(event.request(), event.ownership())
                        && play.madeTogether(event.request()).isEmpty()
                ? String.format(
                        Locale.ROOT,
                        "tracker.allocated(%s, %s, %s, %s);",
                        device,
                        source.use(event.type()),
                        address,
                        number(event.size()))
                : String.format(
                        Locale.ROOT,
                        "tracker.allocated(%s, %s, %s, %s, %s, %s);",
                        requestOf(event.request(), false),
                        device,
                        source.use(event.type()),
                        address,
                        number(event.size()),
                        ownership(event.ownership()));
    }

    private String free(HistoryEvent.Freed event) {
        return isPlain(event.request(), event.ownership())
                ? String.format(
                        Locale.ROOT,
                        "tracker.freed(%d, %s, %s);",
                        event.device(),
                        source.use(event.type()),
                        address(event.address()))
                : String.format(
                        Locale.ROOT,
                        "tracker.freed(%s, %d, %s, %s, %s);",
                        requestOf(event.request(), true),
                        event.device(),
                        source.use(event.type()),
                        address(event.address()),
                        ownership(event.ownership()));
    }

    private boolean isPlain(MemoryRequest request, Ownership ownership) {
        return ownership == Ownership.UNKNOWN && isSilent(request);
    }

    private boolean isSilent(MemoryRequest request) {
        return request.details().equals(AllocationDetails.user())
                && (request.isAnonymous() || uses.getOrDefault(request, 1) == 1);
    }

    /** Declares requests that one line of the program makes, as one line of the run did. */
    private String madeTogether(List<MemoryRequest> requests) {
        String array = JavaNames.free("requests", allocated);
        String type = source.use(MemoryRequest.class);
        source.line(type + "[] " + array + " = new " + type + "[" + requests.size() + "]; // of one line of code");
        source.line(String.format(
                Locale.ROOT,
                "%s.setAll(%s, i -> tracker.request(%s));",
                source.use(Arrays.class),
                array,
                details(requests.get(0).details())));
        for (int i = 0; i < requests.size(); i++) {
            names.put(requests.get(i), array + "[" + i + "]");
        }
        return array;
    }

    /** Declares the request, unless it has no details and is not needed again. */
    private String requestOf(MemoryRequest request, boolean isRelease) {
        String known = names.get(request);
        if (known != null) {
            return known;
        }
        if (!play.madeTogether(request).isEmpty()) {
            madeTogether(play.madeTogether(request));
            return names.getOrDefault(request, "");
        }
        String call = "tracker." + (isRelease ? "release(" : "request(") + details(request.details()) + ")";
        if (isInRow || isSilent(request)) {
            return call;
        }
        String wish = request.details()
                .label()
                .map(JavaNames::camelCase)
                .filter(name -> !name.isEmpty())
                .orElse("request");
        String name = JavaNames.free(isRelease ? "release" : wish, allocated);
        if (!request.isAnonymous()) {
            names.put(request, name);
        }
        source.line(source.use(MemoryRequest.class) + " " + name + " = " + call + ";");
        return name;
    }

    private String details(AllocationDetails details) {
        String type = source.use(AllocationDetails.class);
        if (details.kind() == BufferKind.CANARY && details.mesh().isPresent()) {
            return type + ".canary(" + details.mesh().getAsInt() + ")";
        }
        StringBuilder text = new StringBuilder(type);
        boolean isSystem =
                details.lifetime() == BufferLifetime.SYSTEM && details.owner().isPresent();
        text.append(isSystem ? ".system(" + owner(details.owner().orElseThrow()) + ")" : ".user()");
        if (details.kind() != BufferKind.BUFFER) {
            text.append(".ofKind(").append(source.use(details.kind())).append(')');
        }
        if (!isSystem) {
            if (details.lifetime() != BufferLifetime.USER) {
                text.append(".withLifetime(")
                        .append(source.use(details.lifetime()))
                        .append(')');
            }
            details.owner()
                    .ifPresent(owner ->
                            text.append(".ownedBy(").append(owner(owner)).append(')'));
        }
        details.label()
                .ifPresent(label -> text.append(".labelled(")
                        .append(JavaNames.literal(label))
                        .append(')'));
        details.extent()
                .ifPresent(extent ->
                        text.append(".withExtent(").append(number(extent)).append(')'));
        details.processId()
                .ifPresent(process ->
                        text.append(".reportedBy(").append(number(process)).append(')'));
        details.connection()
                .ifPresent(connection ->
                        text.append(".overConnection(").append(connection).append(')'));
        details.mesh().ifPresent(mesh -> text.append(".onMesh(").append(mesh).append(')'));
        details.allocator()
                .ifPresent(allocator -> text.append(".fromAllocator(")
                        .append(allocator(allocator))
                        .append(')'));
        if (details.view()) {
            text.append(".asView()");
        }
        details.physicalAddress()
                .ifPresent(address ->
                        text.append(".lyingAt(").append(address(address)).append(')'));
        details.source()
                .ifPresent(name -> text.append(".fromSource(")
                        .append(JavaNames.literal(name))
                        .append(')'));
        if (details.handleCollected()) {
            text.append(".ofCollectedHandle()");
        }
        if (details.freedOnCollection()) {
            text.append(".asFreedOnCollection()");
        }
        return text.toString();
    }

    private String allocator(AllocatorId allocator) {
        String type = source.use(AllocatorId.class);
        return switch (allocator.kind()) {
            case MESH, DEVICE -> type + "." + allocator.kind().name();
            case SUB_DEVICE -> type + ".subDevice(" + allocator.manager() + ", " + allocator.subDevice() + ")";
        };
    }

    private String ownership(Ownership ownership) {
        return source.use(Ownership.class) + "." + ownership.name();
    }

    /** Declares an owner that is needed again. */
    private String source(SourceDescription attached) {
        if (attached.equals(SourceDescription.of(attached.name()))) {
            return JavaNames.literal(attached.name());
        }
        return source.use(SourceDescription.class) + ".of(" + JavaNames.literal(attached.name()) + ")"
                + attached.covers()
                        .map(covers -> ".covering(" + JavaNames.literal(covers) + ")")
                        .orElse("")
                + (attached.infersFrees() ? ".inferringFrees()" : "")
                + attached.vocabulary()
                        .map(words -> ".speaking(" + vocabulary(words) + ")")
                        .orElse("");
    }

    private String vocabulary(SourceVocabulary words) {
        String type = source.use(SourceVocabulary.class);
        return words.memory()
                .map(memory -> type + ".of(" + JavaNames.literal(memory) + ").countedIn("
                        + JavaNames.literal(words.unit()) + ").freedBy(" + JavaNames.literal(words.free()) + ", "
                        + JavaNames.literal(words.freed()) + ").endingWhen(" + JavaNames.literal(words.end()) + ")")
                .orElse(type + (words.equals(SourceVocabulary.MESH) ? ".MESH" : ".PROGRAM"));
    }

    private String owner(Owner owner) {
        String known = ownerNames.get(owner);
        if (known != null) {
            return known;
        }
        if (owners.getOrDefault(owner, 0) < 2) {
            return newOwner(owner);
        }
        String name = JavaNames.free(JavaNames.camelCase(owner.kind().name()), allocated);
        ownerNames.put(owner, name);
        source.line(source.use(Owner.class) + " " + name + " = " + newOwner(owner) + ";");
        return name;
    }

    private String newOwner(Owner owner) {
        String type = source.use(Owner.class);
        String name = JavaNames.literal(owner.name());
        return owner.kind() == Owner.Kind.PROGRAM
                ? type + ".program(" + name + ")"
                : "new " + type + "(" + type + ".Kind." + owner.kind().name() + ", " + name + ")";
    }

    // Other events

    private void statement(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e) {
            source.line(allocation(e, Integer.toString(e.device()), address(e.address())));
        } else if (event instanceof HistoryEvent.Freed e) {
            source.line(free(e));
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            source.line(String.format(
                    Locale.ROOT,
                    "tracker.freeIgnored(%s, %d, %s, %s, %s);",
                    requestOf(e.request(), true),
                    e.device(),
                    source.use(e.type()),
                    address(e.address()),
                    source.use(e.reason())));
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            source.line(
                    "tracker.traced(" + requestOf(e.request(), false) + ", " + reachability(e.reachability()) + ");");
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            source.line("tracker.bufferCaptured(" + owner(e.trace()) + ", " + requestOf(e.request(), false) + ");");
        } else if (event instanceof HistoryEvent.Witnessed e) {
            source.line("tracker.witnessed(" + reading(e.snapshot()) + ");");
        } else if (event instanceof HistoryEvent.MeshOpened e) {
            source.line("tracker.meshOpened(" + mesh(e.mesh()) + ");");
        } else if (event instanceof HistoryEvent.Checked e) {
            source.line(String.format(
                    Locale.ROOT,
                    "tracker.checked(%s.of(%d, %d, %d));",
                    source.use(LocalDate.class),
                    e.today().getYear(),
                    e.today().getMonthValue(),
                    e.today().getDayOfMonth()));
        } else {
            plain(event).ifPresent(call -> source.line("tracker." + call + ";"));
        }
    }

    /** Rounds are omitted: no finding depends on them. */
    private Optional<String> plain(HistoryEvent event) {
        if (event instanceof HistoryEvent.PhaseBegan e) {
            return Optional.of("phase(" + JavaNames.literal(e.phase().name()) + ")");
        } else if (event instanceof HistoryEvent.MeshClosing e) {
            return Optional.of("meshClosing(" + e.mesh() + ")");
        } else if (event instanceof HistoryEvent.MeshClosed e) {
            return Optional.of("meshClosed(" + e.mesh() + ")");
        } else if (event instanceof HistoryEvent.DeviceOpened e) {
            return Optional.of("deviceOpened(" + e.device() + ")");
        } else if (event instanceof HistoryEvent.DeviceClosed e) {
            return Optional.of("deviceClosed(" + e.device() + ")");
        } else if (event instanceof HistoryEvent.OwnerCached e) {
            return Optional.of("ownerCached(" + owner(e.owner()) + ", " + JavaNames.literal(e.cache()) + ")");
        } else if (event instanceof HistoryEvent.OwnerEnded e) {
            return Optional.of("ownerEnded(" + owner(e.owner()) + ")");
        } else if (event instanceof HistoryEvent.CaptureBegan e) {
            return Optional.of("captureBegan(" + e.mesh() + ", " + owner(e.trace()) + ")");
        } else if (event instanceof HistoryEvent.ProgramCaptured e) {
            String subDevice = source.use(Optional.class)
                    + e.subDevice()
                            .map(allocator -> ".of(" + allocator(allocator) + ")")
                            .orElse(".empty()");
            return Optional.of(
                    "programCaptured(" + owner(e.trace()) + ", " + owner(e.program()) + ", " + subDevice + ")");
        } else if (event instanceof HistoryEvent.CaptureEnded e) {
            return Optional.of("captureEnded(" + owner(e.trace()) + ")");
        } else if (event instanceof HistoryEvent.TraceReplayed e) {
            String inFlight = e.inFlight().stream().map(this::owner).collect(Collectors.joining(", "));
            return Optional.of(
                    "traceReplayed(" + owner(e.trace()) + ", " + source.use(List.class) + ".of(" + inFlight + "))");
        } else if (event instanceof HistoryEvent.ReportsLost e) {
            return Optional.of("reportsLost(" + number(e.count()) + ", " + JavaNames.literal(e.reason()) + ")");
        } else if (event instanceof HistoryEvent.SourceAttached e) {
            return Optional.of("sourceAttached(" + source(e.source()) + ")");
        } else if (event instanceof HistoryEvent.SourceNoted e) {
            return Optional.of("sourceNoted(" + JavaNames.literal(e.note()) + ")");
        } else if (event instanceof HistoryEvent.ProcessDied e) {
            return Optional.of("processDied(" + number(e.processId()) + ")");
        } else if (event instanceof HistoryEvent.TrackingStopped e) {
            return Optional.of("trackingStopped(" + JavaNames.literal(e.reason()) + ")");
        } else if (event instanceof HistoryEvent.TrackingStarted) {
            return Optional.of("trackingStarted()");
        } else if (event instanceof HistoryEvent.CanaryPlanted e) {
            return Optional.of("canaryPlanted(" + e.mesh() + ", " + list(e.devices()) + ")");
        } else if (event instanceof HistoryEvent.CanarySeen e) {
            canaries(e.mesh(), e.devices(), true);
        } else if (event instanceof HistoryEvent.CanaryFreed e) {
            canaries(e.mesh(), e.devices(), false);
        }
        return Optional.empty();
    }

    private void canaries(int mesh, List<Integer> devices, boolean seen) {
        AllocationDetails canary =
                mesh < 0 ? AllocationDetails.user().ofKind(BufferKind.CANARY) : AllocationDetails.canary(mesh);
        for (int device : devices) {
            source.line(String.format(
                    Locale.ROOT,
                    seen
                            ? "tracker.allocated(tracker.request(%s), %d, %s, 0, 0, %s);"
                            : "tracker.freed(tracker.release(%s), %d, %s, 0, %s);",
                    details(canary),
                    device,
                    source.use(BufferType.L1),
                    ownership(Ownership.UNKNOWN)));
        }
    }

    private String reachability(Reachability reachability) {
        String type = source.use(Reachability.class);
        return switch (reachability.state()) {
            case LOST -> type + ".lost()";
            case UNKNOWN -> type + ".unknown()";
            case HELD ->
                reachability.path().isEmpty()
                        ? type + ".held()"
                        : type + ".heldBy(" + source.use(List.class) + ".of("
                                + reachability.path().stream()
                                        .map(JavaNames::literal)
                                        .collect(Collectors.joining(", "))
                                + "))";
        };
    }

    private String reading(WitnessSnapshot reading) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s.of(%d, %s)",
                source.use(WitnessSnapshot.class),
                reading.mesh(),
                source.use(reading.moment())));
        reading.allocator()
                .ifPresent(allocator -> text.append(".ofAllocator(")
                        .append(allocator(allocator))
                        .append(')'));
        for (int device : reading.devices()) {
            for (BufferType type : BufferType.values()) {
                if (reading.stateOf(device, type, 0) != WitnessSnapshot.AddressState.UNKNOWN) {
                    text.append(".region(").append(device).append(", ").append(source.use(type));
                    reading.allocatedAddresses(device, type)
                            .forEach(taken -> text.append(", ").append(address(taken)));
                    text.append(')');
                }
            }
        }
        return text.append(".build()").toString();
    }

    private String mesh(MeshDescription mesh) {
        String type = source.use(MeshDescription.class);
        String head = mesh.id() + ", " + JavaNames.literal(mesh.name()) + ", " + list(mesh.devices());
        StringBuilder text = new StringBuilder(
                mesh.busiestDevice() < 0
                        ? type + ".of(" + head + ")"
                        : "new " + type + "(" + head + ", " + mesh.busiestDevice() + ")");
        mesh.parent()
                .ifPresent(parent -> text.append(".withParent(").append(parent).append(')'));
        if (!mesh.capacities().isEmpty()) {
            text.append(".withCapacities(").append(source.use(List.class)).append(".of(");
            text.append(mesh.capacities().stream().map(this::capacity).collect(Collectors.joining(", ")));
            text.append("))");
        }
        return text.toString();
    }

    private String capacity(MemoryCapacity capacity) {
        String base = capacity.base().isPresent()
                ? ".startingAt(" + number(capacity.base().getAsLong()) + ")"
                : "";
        return String.format(
                Locale.ROOT,
                "new %s(%s, %d, %s)%s",
                source.use(MemoryCapacity.class),
                source.use(capacity.type()),
                capacity.banks(),
                number(capacity.bytesPerBank()),
                base);
    }

    private String list(List<Integer> devices) {
        return source.use(List.class) + ".of("
                + devices.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ")";
    }

    private static String address(long address) {
        boolean isInt = address >= 0 && address <= Integer.MAX_VALUE;
        return "0x" + Long.toHexString(address) + (isInt ? "" : "L");
    }

    /** Digits are grouped in threes. */
    private static String number(long number) {
        String plain = Long.toString(number);
        StringBuilder grouped = new StringBuilder();
        int sign = number < 0 ? 1 : 0;
        for (int i = 0; i < plain.length(); i++) {
            boolean isGroup = i > sign && (plain.length() - i) % 3 == 0 && plain.length() - sign > 4;
            grouped.append(isGroup ? "_" : "").append(plain.charAt(i));
        }
        boolean isInt = number == (int) number;
        return grouped + (isInt ? "" : "L");
    }
}
