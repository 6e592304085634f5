package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds related buffers in a history; each index is created on first use. */
final class SiblingIndex {

    /**
     * The same line of code requesting the same kind of memory.
     *
     * <p>Meshes of one device each are compared as parts of one whole; of a mesh with several devices only its own are
     * compared.
     */
    private record Likeness(
            Origin origin,
            BufferType type,
            BufferKind kind,
            long size,
            Optional<String> label,
            OptionalInt largerMesh) {}

    private record Sort(BufferType type, BufferKind kind) {}

    private final AllocationHistory history;
    /** Data that became known after the check. */
    private final @Nullable SiblingIndex whole;

    private final IdentityHashMap<MemoryRequest, Map<Sort, List<BufferGeneration>>> requests = new IdentityHashMap<>(0);

    /**
     * By identity of the list of siblings, which is created once: the first buffer of a request may also be the first
     * of its line.
     */
    private final IdentityHashMap<List<BufferGeneration>, DeviceMajority> majorities = new IdentityHashMap<>(0);

    private @Nullable Map<Likeness, List<BufferGeneration>> alike;
    private @Nullable IdentityHashMap<BufferGeneration, List<HistoryEvent.FreeIgnored>> freesAfterClose;
    private @Nullable Map<MemoryAddress, List<HistoryEvent.FreeIgnored>> freesInVain;
    private @Nullable IdentityHashMap<BufferGeneration, List<Anomaly>> overlaps;
    private @Nullable Map<MemoryAddress, List<Anomaly>> strayFrees;
    private @Nullable Map<MemoryAddress, List<BufferGeneration.Report>> freedByOthers;
    private @Nullable Set<Integer> largerMeshes;
    private @Nullable Map<Integer, List<MeshDescription>> meshes;
    private @Nullable Map<MemoryAddress, List<BufferGeneration>> generations;

    /** By the event of the allocation, which begins one generation. */
    private final Map<Long, BufferGeneration> laterGenerations = new HashMap<>();

    /**
     * Prepares the indexes.
     *
     * @param history the history as of the check
     * @param whole the whole history
     */
    @SuppressWarnings("ReferenceEquality") // A history without events after the check is the same object.
    SiblingIndex(AllocationHistory history, AllocationHistory whole) {
        this.history = history;
        if (whole == history) {
            this.whole = null;
        } else {
            this.whole = new SiblingIndex(whole, whole);
            whole.liveAtCheck().forEach(generation -> laterGenerations.put(generation.allocatedAt(), generation));
        }
    }

    /** Returns the same generation in the whole history, if there are events after the check. */
    Optional<SurvivorContext> later(BufferGeneration buffer) {
        SiblingIndex after = whole;
        BufferGeneration generation = laterGenerations.get(buffer.allocatedAt());
        return after == null || generation == null
                ? Optional.empty()
                : Optional.of(new SurvivorContext(generation, after.history, after));
    }

    /** Returns the buffers of the same request, or, if it touched one device only, those of the same line of code. */
    List<BufferGeneration> of(BufferGeneration buffer) {
        if (history.buffersOf(buffer.request()).size() < 2) {
            return fromSameLine(buffer);
        }
        List<BufferGeneration> ofRequest = ofRequest(buffer);
        return ofRequest.size() > 1 ? ofRequest : fromSameLine(buffer);
    }

    private List<BufferGeneration> ofRequest(BufferGeneration buffer) {
        return requests.computeIfAbsent(
                        buffer.request(),
                        request -> history.buffersOf(request).stream()
                                .collect(Collectors.groupingBy(one -> new Sort(one.type(), one.kind()))))
                .getOrDefault(new Sort(buffer.type(), buffer.kind()), List.of());
    }

    /** Returns the behaviour of the devices towards the siblings of a buffer. */
    DeviceMajority majorityOf(BufferGeneration buffer) {
        List<BufferGeneration> siblings = of(buffer);
        return siblings.isEmpty()
                ? new DeviceMajority(List.of(buffer), this::provedFreeAt)
                : majorities.computeIfAbsent(siblings, known -> new DeviceMajority(known, this::provedFreeAt));
    }

    /**
     * Returns the first release after close that followed every open report of the buffer.
     *
     * <p>A handle represents the reports of one request; if several are open, each needs a handle of its own.
     */
    Optional<HistoryEvent.FreeIgnored> freesAfterClose(BufferGeneration buffer) {
        if (freesAfterClose == null) {
            freesAfterClose = new IdentityHashMap<>();
            for (Anomaly anomaly : history.anomalies()) {
                if (anomaly.kind() == Anomaly.Kind.FREE_AFTER_CLOSE
                        && anomaly.generation().isPresent()
                        && anomaly.event() instanceof HistoryEvent.FreeIgnored ignored
                        && ignored.number()
                                > anomaly.generation().get().lastOpenReportAt().orElse(0)) {
                    freesAfterClose
                            .computeIfAbsent(anomaly.generation().get(), unused -> new ArrayList<>())
                            .add(ignored);
                }
            }
        }
        List<HistoryEvent.FreeIgnored> frees = freesAfterClose.getOrDefault(buffer, List.of());
        return frees.size() < openRequests(buffer)
                ? Optional.empty()
                : frees.stream().findFirst();
    }

    /** Returns the number of the snapshot that lists a buffer of the ledger as free, if there is one. */
    private OptionalLong provedFreeAt(BufferGeneration buffer) {
        SurvivorContext one = new SurvivorContext(buffer, history, this);
        OptionalLong again = one.reservedAgainAt();
        if (again.isPresent()) {
            return again;
        }
        return one.isProvedFree()
                ? OptionalLong.of(one.reading(one.checkMoment()).orElseThrow().number())
                : OptionalLong.empty();
    }

    /** Returns the frees that found nothing at an address, oldest first. */
    List<Anomaly> strayFreesAt(MemoryAddress address) {
        if (strayFrees == null) {
            strayFrees = history.anomalies().stream()
                    .filter(anomaly -> anomaly.kind().unbalancesLedger())
                    .filter(anomaly -> anomaly.event() instanceof HistoryEvent.Freed)
                    .collect(Collectors.groupingBy(MemoryAddress::of));
        }
        return strayFrees.getOrDefault(address, List.of());
    }

    /** Returns the reports at an address that a free of another owner matched. */
    List<BufferGeneration.Report> freedByOthersAt(MemoryAddress address) {
        if (freedByOthers == null) {
            freedByOthers = new HashMap<>();
            for (BufferGeneration buffer :
                    history.generationsWith(details -> details.owner().isPresent())) {
                for (BufferGeneration.Report report : buffer.reports()) {
                    if (isFreedByAnother(report)) {
                        freedByOthers
                                .computeIfAbsent(MemoryAddress.of(buffer), unused -> new ArrayList<>())
                                .add(report);
                    }
                }
            }
        }
        return freedByOthers.getOrDefault(address, List.of());
    }

    private static boolean isFreedByAnother(BufferGeneration.Report report) {
        return report.release()
                .flatMap(release -> release.details().owner())
                .filter(owner -> !report.request().details().owner().equals(Optional.of(owner)))
                .isPresent();
    }

    /** Returns the reports of other buffers over a part of this one. */
    List<Anomaly> overlapsOf(BufferGeneration buffer) {
        if (overlaps == null) {
            overlaps = new IdentityHashMap<>();
            for (Anomaly anomaly : history.anomalies()) {
                if (anomaly.kind() == Anomaly.Kind.OVERLAP
                        && anomaly.generation().isPresent()) {
                    overlaps.computeIfAbsent(anomaly.generation().get(), unused -> new ArrayList<>())
                            .add(anomaly);
                }
            }
        }
        return overlaps.getOrDefault(buffer, List.of());
    }

    /** Returns the last free of the buffer that freed nothing, because another handle shares it or because it failed. */
    Optional<HistoryEvent.FreeIgnored> freeInVain(BufferGeneration buffer) {
        if (freesInVain == null) {
            freesInVain = new HashMap<>();
            for (HistoryEvent.FreeIgnored ignored : history.events(HistoryEvent.FreeIgnored.class)) {
                if (ignored.reason() == IgnoredFreeReason.STILL_SHARED
                        || ignored.reason() == IgnoredFreeReason.FAILED) {
                    freesInVain
                            .computeIfAbsent(
                                    new MemoryAddress(ignored.device(), ignored.type(), ignored.address()),
                                    unused -> new ArrayList<>(1))
                            .add(ignored);
                }
            }
        }
        return freesInVain.getOrDefault(MemoryAddress.of(buffer), List.of()).stream()
                .filter(ignored ->
                        AllocatorId.mayBeOne(ignored.request().details().allocator(), buffer.allocator()))
                .filter(ignored -> ignored.number() > buffer.lastOpenReportAt().orElse(0))
                .reduce((earlier, later) -> later);
    }

    /** Returns the meshes that were opened under a number, in order. */
    List<MeshDescription> meshes(int id) {
        if (meshes == null) {
            meshes = history.meshes().stream().collect(Collectors.groupingBy(MeshDescription::id));
        }
        return meshes.getOrDefault(id, List.of());
    }

    /** Returns the generations of an address that began before an event, in the order of allocation. */
    List<BufferGeneration> generationsAt(MemoryAddress address, long event) {
        if (generations == null) {
            generations = history.generations().stream().collect(Collectors.groupingBy(MemoryAddress::of));
        }
        List<BufferGeneration> all = generations.getOrDefault(address, List.of());
        int low = 0;
        int high = all.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all.get(middle).allocatedAt() < event) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return all.subList(0, low);
    }

    /** Counts each anonymous report as a request of its own. */
    private long openRequests(BufferGeneration buffer) {
        Set<MemoryRequest> requests = Collections.newSetFromMap(new IdentityHashMap<>());
        long anonymous = 0;
        for (BufferGeneration.Report report : new SurvivorContext(buffer, history, this).remaining()) {
            if (report.request().isAnonymous()) {
                anonymous++;
            } else {
                requests.add(report.request());
            }
        }
        return requests.size() + anonymous;
    }

    /** Returns all buffers of the same kind that the same line requested; empty without an origin. */
    List<BufferGeneration> fromSameLine(BufferGeneration buffer) {
        Optional<Likeness> likeness = likeness(buffer);
        if (likeness.isEmpty()) {
            return List.of();
        }
        if (alike == null) {
            alike = new HashMap<>();
            for (BufferGeneration one : history.generations()) {
                likeness(one)
                        .ifPresent(key -> alike().computeIfAbsent(key, unused -> new ArrayList<>())
                                .add(one));
            }
        }
        return alike().getOrDefault(likeness.get(), List.of());
    }

    private Map<Likeness, List<BufferGeneration>> alike() {
        return alike == null ? Map.of() : alike;
    }

    private Optional<Likeness> likeness(BufferGeneration buffer) {
        return buffer.origin()
                .filter(origin -> !origin.frames().isEmpty())
                .map(origin -> new Likeness(
                        origin, buffer.type(), buffer.kind(), buffer.size(), buffer.label(), largerMeshOf(buffer)));
    }

    private OptionalInt largerMeshOf(BufferGeneration buffer) {
        if (largerMeshes == null) {
            largerMeshes = history.meshes().stream()
                    .filter(mesh -> mesh.devices().size() > 1)
                    .map(MeshDescription::id)
                    .collect(Collectors.toSet());
        }
        OptionalInt mesh = buffer.mesh();
        return mesh.isPresent() && largerMeshes.contains(mesh.getAsInt()) ? mesh : OptionalInt.empty();
    }
}
