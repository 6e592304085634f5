package dev.meshguard.verdict.internal;

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
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what one history holds about a buffer, an address or a mesh; each lookup table is made on first use. */
final class HistoryIndex {

    /** Values in the order of the history, by a property of theirs. */
    private static final class Table<K, V> {
        private final Supplier<Stream<V>> values;
        private final Function<V, K> keyOf;
        private @Nullable Map<K, List<V>> byKey;

        Table(Supplier<Stream<V>> values, Function<V, K> keyOf) {
            this.values = values;
            this.keyOf = keyOf;
        }

        List<V> at(K key) {
            if (byKey == null) {
                byKey = values.get().collect(Collectors.groupingBy(keyOf));
            }
            return byKey.getOrDefault(key, List.of());
        }
    }

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
    /** The same generations with what became known after the check, by the event that began them. */
    private final Map<Long, SurvivorContext> later = new HashMap<>();

    private final Map<Object, Siblings> siblings = new HashMap<>();
    private final Map<MemoryAddress, List<BufferGeneration>> generations = new HashMap<>();
    /** The origins by which lines were looked up; the buffers of other lines are not searched. */
    private final Set<Origin> origins = new HashSet<>();

    private Table<OfLine, BufferGeneration> lines;
    private final Table<BufferGeneration, Anomaly> anomalies;
    private final Table<MemoryAddress, Anomaly> strayFrees;
    private final Table<MemoryAddress, HistoryEvent.FreeIgnored> freesInVain;
    private final Table<MemoryAddress, BufferGeneration> reservedAgain;
    private final Table<Integer, MeshDescription> meshes;
    private final Table<Integer, HistoryEvent.MeshOpened> openings;

    /**
     * Prepares the tables.
     *
     * @param history the history as of the check
     * @param whole the whole history
     */
    @SuppressWarnings("ReferenceEquality") // A history without events after the check is the same object.
    HistoryIndex(AllocationHistory history, AllocationHistory whole) {
        this.history = history;
        this.lines = new Table<>(Stream::empty, this::lineOf);
        this.anomalies = new Table<>(
                () -> history.anomalies().stream()
                        .filter(anomaly -> anomaly.generation().isPresent()),
                anomaly -> anomaly.generation().orElseThrow());
        this.strayFrees = new Table<>(
                () -> history.anomalies().stream()
                        .filter(anomaly -> anomaly.kind().unbalancesLedger())
                        .filter(anomaly -> anomaly.event() instanceof HistoryEvent.Freed),
                MemoryAddress::of);
        this.freesInVain = new Table<>(
                () -> history.events(HistoryEvent.FreeIgnored.class).stream().filter(HistoryIndex::isInVain),
                ignored -> new MemoryAddress(ignored.device(), ignored.type(), ignored.address()));
        this.reservedAgain = new Table<>(
                () -> history.generations().stream()
                        .filter(generation -> generation.reservedAgainAt().isPresent()),
                MemoryAddress::of);
        this.meshes = new Table<>(() -> history.meshes().stream(), MeshDescription::id);
        this.openings = new Table<>(
                () -> history.events(HistoryEvent.MeshOpened.class).stream(),
                opened -> opened.mesh().id());
        if (whole != history) {
            HistoryIndex ofWhole = new HistoryIndex(whole, whole);
            whole.liveAtCheck()
                    .forEach(generation ->
                            later.put(generation.allocatedAt(), new SurvivorContext(generation, whole, ofWhole)));
        }
    }

    /** Returns the same generation in the whole history, if there are events after the check. */
    Optional<SurvivorContext> later(BufferGeneration buffer) {
        return Optional.ofNullable(later.get(buffer.allocatedAt()));
    }

    /** Returns the buffers of the same request, or, if it touched one device only, those of the same line of code. */
    Siblings siblingsOf(BufferGeneration buffer) {
        if (history.buffersOf(buffer.request()).size() > 1) {
            OfRequest request = new OfRequest(buffer.request(), buffer.type(), buffer.kind());
            Siblings ofRequest =
                    siblings.computeIfAbsent(request, unused -> new Siblings(buffersOf(request), this::provedFreeAt));
            if (ofRequest.size() > 1) {
                return ofRequest;
            }
        }
        return hasLine(buffer)
                ? siblings.computeIfAbsent(
                        lineOf(buffer), unused -> new Siblings(fromSameLine(buffer), this::provedFreeAt))
                : new Siblings(List.of(buffer), this::provedFreeAt);
    }

    private List<BufferGeneration> buffersOf(OfRequest of) {
        return history.buffersOf(of.request()).stream()
                .filter(buffer -> buffer.type() == of.type() && buffer.kind() == of.kind())
                .toList();
    }

    /** Returns all buffers of the same kind that the same line requested; empty without an origin. */
    List<BufferGeneration> fromSameLine(BufferGeneration buffer) {
        if (!hasLine(buffer)) {
            return List.of();
        }
        if (origins.add(buffer.origin().orElseThrow())) {
            Stream.of(history.live(), history.freedAfterClose())
                    .flatMap(List::stream)
                    .forEach(one -> one.origin().ifPresent(origins::add));
            lines = new Table<>(
                    () ->
                            history
                                    .generationsWith(request -> request.origin()
                                            .filter(origins::contains)
                                            .isPresent())
                                    .stream()
                                    .filter(HistoryIndex::hasLine),
                    this::lineOf);
        }
        return lines.at(lineOf(buffer));
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

    /** Returns the number of the snapshot that lists a buffer of the ledger as free, if there is one. */
    private OptionalLong provedFreeAt(BufferGeneration buffer) {
        SurvivorContext live = new SurvivorContext(buffer, history, this);
        OptionalLong again = live.reservedAgainAt();
        return again.isPresent() || !live.isProvedFree()
                ? again
                : OptionalLong.of(live.snapshot().orElseThrow().number());
    }

    /** Returns the releases after close that the runtime ignored, without those before the last open report of the buffer. */
    List<HistoryEvent.FreeIgnored> freesAfterClose(BufferGeneration buffer) {
        return anomalies(buffer, Anomaly.Kind.FREE_AFTER_CLOSE)
                .map(Anomaly::event)
                .filter(HistoryEvent.FreeIgnored.class::isInstance)
                .map(HistoryEvent.FreeIgnored.class::cast)
                .filter(ignored -> ignored.number() > buffer.lastOpenReportAt().orElse(0))
                .toList();
    }

    /** Returns the anomalies of a buffer that are of a kind. */
    Stream<Anomaly> anomalies(BufferGeneration buffer, Anomaly.Kind kind) {
        return anomalies.at(buffer).stream().filter(anomaly -> anomaly.kind() == kind);
    }

    /** Returns the frees that found nothing at an address, oldest first. */
    List<Anomaly> strayFreesAt(MemoryAddress address) {
        return strayFrees.at(address);
    }

    /** Returns the calls at an address that freed nothing, because another handle shares the memory or because they failed. */
    List<HistoryEvent.FreeIgnored> freesInVainAt(MemoryAddress address) {
        return freesInVain.at(address);
    }

    private static boolean isInVain(HistoryEvent.FreeIgnored ignored) {
        return ignored.reason() == IgnoredFreeReason.STILL_SHARED || ignored.reason() == IgnoredFreeReason.FAILED;
    }

    /** Returns the generations of an address that an allocator reserved again while a report of them was open. */
    List<BufferGeneration> reservedAgainAt(MemoryAddress address) {
        return reservedAgain.at(address);
    }

    /** Returns the reports at an address that a free of another owner matched. */
    List<BufferGeneration.Report> freedByOthersAt(MemoryAddress address) {
        return generationsAt(address).stream()
                .flatMap(buffer -> buffer.reports().stream())
                .filter(HistoryIndex::isFreedByAnother)
                .toList();
    }

    private static boolean isFreedByAnother(BufferGeneration.Report report) {
        return report.release()
                .flatMap(release -> release.details().owner())
                .filter(owner -> !report.request().details().owner().equals(Optional.of(owner)))
                .isPresent();
    }

    /** Returns the meshes that were opened under a number, in order. */
    List<MeshDescription> meshes(int id) {
        return meshes.at(id);
    }

    /** Returns when meshes were opened under a number, in order. */
    List<HistoryEvent.MeshOpened> openings(int mesh) {
        return openings.at(mesh);
    }

    /** Returns the generations of an address that began before an event, in the order of allocation. */
    List<BufferGeneration> generationsAt(MemoryAddress address, long event) {
        List<BufferGeneration> all = generationsAt(address);
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

    /** Each mesh may have left something at an address, so all of them ask for the same. */
    private List<BufferGeneration> generationsAt(MemoryAddress address) {
        return generations.computeIfAbsent(
                address, place -> history.generationsAt(place.device(), place.type(), place.address()));
    }
}
