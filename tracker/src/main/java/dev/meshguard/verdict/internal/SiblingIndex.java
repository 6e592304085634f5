package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.Anomaly;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
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

/** Finds what belongs together in a history; each look-up is prepared when it is first needed. */
final class SiblingIndex {

    /**
     * The same line of code asking for the same thing.
     *
     * <p>On meshes of one device each they are the parts of one whole; of a mesh with several only its own devices are compared.
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
    /** What became known after the check. */
    private final @Nullable SiblingIndex whole;

    private final IdentityHashMap<AllocationRequest, Map<Sort, List<BufferGeneration>>> requests =
            new IdentityHashMap<>(0);

    /** By the list of the siblings, which is made once: the first of a request may be the first of its line too. */
    private final IdentityHashMap<List<BufferGeneration>, DeviceMajority> conducts = new IdentityHashMap<>(0);

    private @Nullable Map<Likeness, List<BufferGeneration>> alike;
    private @Nullable IdentityHashMap<BufferGeneration, List<HistoryEvent.FreeIgnored>> freesAfterClose;
    private @Nullable Map<MemoryAddress, List<HistoryEvent.FreeIgnored>> freesWhileShared;
    private @Nullable IdentityHashMap<BufferGeneration, List<Anomaly>> overlaps;
    private @Nullable Map<MemoryAddress, List<Anomaly>> strayFrees;
    private @Nullable Map<MemoryAddress, List<BufferGeneration.Report>> freedByOthers;
    private @Nullable Set<Integer> largerMeshes;
    private @Nullable Map<Integer, List<MeshDescription>> meshes;
    private @Nullable Map<MemoryAddress, List<BufferGeneration>> generations;

    /** By the event of birth: an event begins one life. */
    private final Map<Long, BufferGeneration> laterGenerations = new HashMap<>();

    /**
     * Prepares look-ups.
     *
     * @param history what was known when the check was made
     * @param whole what became known later
     */
    @SuppressWarnings("ReferenceEquality") // A history that did not go on after the check is the same one.
    SiblingIndex(AllocationHistory history, AllocationHistory whole) {
        this.history = history;
        if (whole == history) {
            this.whole = null;
        } else {
            this.whole = new SiblingIndex(whole, whole);
            whole.liveAtCheck().forEach(life -> laterGenerations.put(life.allocatedAt(), life));
        }
    }

    /** Returns the same life as it went on after the check, if the history went on. */
    Optional<SurvivorContext> later(BufferGeneration buffer) {
        SiblingIndex after = whole;
        BufferGeneration life = laterGenerations.get(buffer.allocatedAt());
        return after == null || life == null
                ? Optional.empty()
                : Optional.of(new SurvivorContext(life, after.history, after));
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

    /** Returns what the devices did with the siblings of a buffer. */
    DeviceMajority majorityOf(BufferGeneration buffer) {
        List<BufferGeneration> siblings = of(buffer);
        return siblings.isEmpty()
                ? new DeviceMajority(List.of(buffer), this::provedFreeAt)
                : conducts.computeIfAbsent(siblings, known -> new DeviceMajority(known, this::provedFreeAt));
    }

    /**
     * Returns the first release after close that came after everything that is still open of the buffer.
     *
     * <p>A handle speaks for what one request reported; where several are open, each needs a handle of its own.
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

    /** Returns the number of the reading that calls a buffer free which the books still hold, if one does. */
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

    /** Returns the frees that found nothing at a place, oldest first. */
    List<Anomaly> strayFreesAt(MemoryAddress place) {
        if (strayFrees == null) {
            strayFrees = history.anomalies().stream()
                    .filter(anomaly -> anomaly.kind().unbalancesLedger())
                    .filter(anomaly -> anomaly.event() instanceof HistoryEvent.Freed)
                    .collect(Collectors.groupingBy(MemoryAddress::of));
        }
        return strayFrees.getOrDefault(place, List.of());
    }

    /** Returns the reports at a place that were taken back by a free in the name of another owner. */
    List<BufferGeneration.Report> freedByOthersAt(MemoryAddress place) {
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
        return freedByOthers.getOrDefault(place, List.of());
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

    /** Returns the last free of the buffer that the runtime ignored because another handle shares it. */
    Optional<HistoryEvent.FreeIgnored> freeWhileShared(BufferGeneration buffer) {
        if (freesWhileShared == null) {
            freesWhileShared = new HashMap<>();
            for (HistoryEvent.FreeIgnored ignored : history.events(HistoryEvent.FreeIgnored.class)) {
                if (ignored.reason() == IgnoredFreeReason.STILL_SHARED) {
                    freesWhileShared
                            .computeIfAbsent(
                                    new MemoryAddress(ignored.device(), ignored.type(), ignored.address()),
                                    unused -> new ArrayList<>(1))
                            .add(ignored);
                }
            }
        }
        return freesWhileShared.getOrDefault(MemoryAddress.of(buffer), List.of()).stream()
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

    /** Returns the lives of an address that began before an event, in the order of birth. */
    List<BufferGeneration> generationsAt(MemoryAddress place, long event) {
        if (generations == null) {
            generations = history.generations().stream().collect(Collectors.groupingBy(MemoryAddress::of));
        }
        List<BufferGeneration> all = generations.getOrDefault(place, List.of());
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

    /** Each anonymous report may be of a request of its own. */
    private long openRequests(BufferGeneration buffer) {
        Set<AllocationRequest> requests = Collections.newSetFromMap(new IdentityHashMap<>());
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

    /** Returns all buffers of the same sort that the same line asked for; none without an origin. */
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
