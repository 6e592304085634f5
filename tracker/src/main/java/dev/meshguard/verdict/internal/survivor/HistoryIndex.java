package dev.meshguard.verdict.internal.survivor;

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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what one history holds about a buffer, an address or a mesh. */
public final class HistoryIndex {

    /** Requests are compared by identity. */
    private record OfRequest(MemoryRequest request, BufferType type, BufferKind kind) {}

    /**
     * The same line of code requesting the same kind of memory.
     *
     * <p>Meshes of one device each are compared as parts of one whole; of a mesh with several devices only its own are
     * compared.
     */
    private record OfLine(
            Origin origin,
            BufferType type,
            BufferKind kind,
            long size,
            Optional<String> label,
            OptionalInt largerMesh) {}

    private final AllocationHistory history;
    private final Optional<HistoryIndex> ofWhole;
    private final Map<Object, SiblingCounts> siblings = new HashMap<>();
    private final Map<MemoryAddress, List<BufferGeneration>> generations = new HashMap<>();
    private final Map<BufferGeneration, List<Anomaly>> anomalies;
    private final Map<MemoryAddress, List<Anomaly>> strayFrees;
    private final Map<MemoryAddress, List<HistoryEvent.FreeIgnored>> freesInVain;
    private final Map<Integer, List<MeshDescription>> meshes;
    private @Nullable Map<OfLine, List<BufferGeneration>> lines;

    /**
     * Indexes a history.
     *
     * @param history the history as of the check
     * @param whole the whole history
     */
    @SuppressWarnings("ReferenceEquality") // A history without events after the check is the same object.
    public HistoryIndex(AllocationHistory history, AllocationHistory whole) {
        this.history = history;
        this.ofWhole = whole == history ? Optional.empty() : Optional.of(new HistoryIndex(whole, whole));
        this.anomalies = history.anomalies().stream()
                .filter(anomaly -> anomaly.generation().isPresent())
                .collect(Collectors.groupingBy(anomaly -> anomaly.generation().orElseThrow()));
        this.strayFrees = history.anomalies().stream()
                .filter(anomaly -> anomaly.kind().unbalancesLedger())
                .filter(anomaly -> anomaly.event() instanceof HistoryEvent.Freed)
                .collect(Collectors.groupingBy(MemoryAddress::of));
        this.freesInVain = history.events(HistoryEvent.FreeIgnored.class).stream()
                .filter(ignored -> ignored.reason() == IgnoredFreeReason.STILL_SHARED
                        || ignored.reason() == IgnoredFreeReason.FAILED)
                .collect(Collectors.groupingBy(
                        ignored -> new MemoryAddress(ignored.device(), ignored.type(), ignored.address())));
        this.meshes = history.meshes().stream().collect(Collectors.groupingBy(MeshDescription::id));
    }

    /** Returns the history as of the check. */
    public AllocationHistory history() {
        return history;
    }

    /** Returns the same generation in the whole history, if there are events after the check. */
    public Optional<SurvivorFacts> later(BufferGeneration buffer) {
        return ofWhole.flatMap(whole -> whole.generationsAt(MemoryAddress.of(buffer)).stream()
                .filter(same -> same.allocatedAt() == buffer.allocatedAt())
                .findFirst()
                .map(same -> new SurvivorFacts(same, whole)));
    }

    /** Returns the buffers of the same request, or, if it touched one device only, those of the same line of code. */
    public SiblingCounts siblingsOf(BufferGeneration buffer) {
        OfRequest request = new OfRequest(buffer.request(), buffer.type(), buffer.kind());
        if (buffersOf(request).size() > 1) {
            return siblings.computeIfAbsent(request, unused -> new SiblingCounts(buffersOf(request), this));
        }
        return hasLine(buffer)
                ? siblings.computeIfAbsent(lineOf(buffer), unused -> new SiblingCounts(fromSameLine(buffer), this))
                : new SiblingCounts(List.of(buffer), this);
    }

    private List<BufferGeneration> buffersOf(OfRequest of) {
        List<BufferGeneration> all = history.buffersOf(of.request());
        return all.size() == 1
                ? all
                : all.stream()
                        .filter(buffer -> buffer.type() == of.type() && buffer.kind() == of.kind())
                        .toList();
    }

    /** Returns all buffers of the same kind that the same line requested; empty without an origin. */
    public List<BufferGeneration> fromSameLine(BufferGeneration buffer) {
        if (!hasLine(buffer)) {
            return List.of();
        }
        if (lines == null) {
            lines = fromLinesOfSurvivors().collect(Collectors.groupingBy(this::lineOf));
        }
        return lines.getOrDefault(lineOf(buffer), List.of());
    }

    /** Few lines leave survivors, and one pass finds the buffers of all of them. */
    private Stream<BufferGeneration> fromLinesOfSurvivors() {
        Set<Origin> origins = new HashSet<>();
        long check = history.check().map(HistoryEvent::number).orElse(Long.MAX_VALUE);
        Stream.of(history.liveAt(check), history.freedAfterClose())
                .flatMap(List::stream)
                .forEach(survivor -> survivor.origin().ifPresent(origins::add));
        return history
                .generationsWith(
                        request -> request.origin().filter(origins::contains).isPresent())
                .stream()
                .filter(HistoryIndex::hasLine);
    }

    private static boolean hasLine(BufferGeneration buffer) {
        return buffer.origin().filter(origin -> !origin.frames().isEmpty()).isPresent();
    }

    private OfLine lineOf(BufferGeneration buffer) {
        OptionalInt mesh = buffer.mesh();
        boolean isLarger = mesh.isPresent()
                && meshes(mesh.getAsInt()).stream()
                        .anyMatch(one -> one.devices().size() > 1);
        return new OfLine(
                buffer.origin().orElseThrow(),
                buffer.type(),
                buffer.kind(),
                buffer.size(),
                buffer.label(),
                isLarger ? mesh : OptionalInt.empty());
    }

    /** Returns the anomalies of a buffer, oldest first. */
    List<Anomaly> anomaliesOf(BufferGeneration buffer) {
        return anomalies.getOrDefault(buffer, List.of());
    }

    /** Returns the frees that found nothing at an address, oldest first. */
    public List<Anomaly> strayFreesAt(MemoryAddress address) {
        return strayFrees.getOrDefault(address, List.of());
    }

    /** Returns the calls at an address that freed nothing, because another handle shares the memory or because they failed. */
    List<HistoryEvent.FreeIgnored> freesInVainAt(MemoryAddress address) {
        return freesInVain.getOrDefault(address, List.of());
    }

    /** Returns the meshes that were opened under a number, in order. */
    public List<MeshDescription> meshes(int id) {
        return meshes.getOrDefault(id, List.of());
    }

    /** Returns every generation of an address, in the order of allocation. */
    public List<BufferGeneration> generationsAt(MemoryAddress address) {
        return generations.computeIfAbsent(
                address, key -> history.generationsAt(key.device(), key.type(), key.address()));
    }
}
