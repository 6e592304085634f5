package dev.meshguard.report;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats the memory of a history in the words of the sources that reported it, and the allocators that reserved it. */
final class MemoryNames {

    private static final int MAX_NAMED = 3;

    private final AllocationHistory history;

    MemoryNames(AllocationHistory history) {
        this.history = history;
    }

    /** Returns the words of the source that reported a request. */
    SourceVocabulary of(MemoryRequest request) {
        return history.vocabularyOf(request);
    }

    /** Returns the words of the source of a group, which all its buffers share. */
    SourceVocabulary of(SurvivorGroup group) {
        return of(group.first().buffer().request());
    }

    /** Returns the name of the memory of a group: that of its source, or else its type. */
    String memory(SurvivorGroup group) {
        return of(group).memory().orElse(group.type().toString());
    }

    /** Returns whether the memory of a buffer lies on a device, at an address. */
    boolean hasDevice(BufferGeneration buffer) {
        return buffer.hasDevice() && of(buffer.request()).hasDevices();
    }

    /** Returns the only element, if there is one. */
    static Optional<String> only(Set<String> distinct) {
        return distinct.size() == 1 ? distinct.stream().findFirst() : Optional.empty();
    }

    /** Returns the unit that several sources share; a buffer, if each has another one. */
    static String unit(Stream<SourceVocabulary> vocabularies) {
        return only(vocabularies.map(SourceVocabulary::unit).collect(Collectors.toSet()))
                .orElse("allocation");
    }

    /** Returns {@code 2 RocksIterator and 1 ReadOptions}, if all are objects of which the size is unknown. */
    Optional<String> objects(List<SurvivorGroup> groups) {
        Map<SourceVocabulary, Long> counts = groups.stream()
                .collect(Collectors.groupingBy(
                        this::of,
                        LinkedHashMap::new,
                        Collectors.summingLong(group -> group.survivors().size())));
        return counts.keySet().stream().allMatch(SourceVocabulary::isOfObjects)
                ? Optional.of(TruncatedText.list(
                        counts.entrySet().stream()
                                .map(one -> one.getKey().count(one.getValue()))
                                .toList(),
                        MAX_NAMED,
                        " and "))
                : Optional.empty();
    }

    /** Returns {@code 57 buffers}, or in the unit of the sources. */
    String count(List<Survivor> survivors) {
        Set<SourceVocabulary> words = survivors.stream()
                .map(survivor -> of(survivor.buffer().request()))
                .collect(Collectors.toSet());
        return words.size() == 1
                ? words.iterator().next().count(survivors.size())
                : Quantities.count(survivors.size(), unit(words.stream()));
    }

    /** Returns a number of buffers of which the source is unknown: in the unit that all sources share. */
    String count(long buffers) {
        return history.vocabulary().count(buffers);
    }

    /** Returns the memory that a report names: {@code L1 0x1000 (4096) on device 0}, or its name and label. */
    String memory(Anomaly anomaly) {
        Optional<MemoryRequest> request =
                anomaly.generation().map(BufferGeneration::request).or(() -> HistoryEvent.requestOf(anomaly.event()));
        return memory(request, anomaly.type(), anomaly.address(), anomaly.device());
    }

    /** Returns the memory of a buffer: {@code L1 0x1000 (4096) on device 0}, or its name and label. */
    String memory(BufferGeneration buffer) {
        return memory(Optional.of(buffer.request()), buffer.type(), buffer.address(), buffer.device());
    }

    private String memory(Optional<MemoryRequest> request, BufferType type, long address, int device) {
        SourceVocabulary words = request.map(this::of).orElseGet(history::vocabulary);
        if (device != HistoryEvent.NO_DEVICE && words.hasDevices()) {
            return type + " " + HistoryEvent.addressOn(device, address);
        }
        return words.memory().orElse(type.toString())
                + request.flatMap(one -> one.details().label())
                        .map(label -> " " + Quantities.quoted(label))
                        .orElse("");
    }

    /** Returns what is wrong with a report: {@code double free}, or {@code double release} in the words of a source. */
    String description(Anomaly anomaly) {
        String description = anomaly.kind().description();
        return anomaly.generation()
                .filter(buffer -> !hasDevice(buffer))
                .map(buffer -> description.replace("free", of(buffer.request()).free()))
                .orElse(description);
    }

    /** Returns {@code mesh 1 (1x2 submesh of mesh 0)}. */
    String mesh(OptionalInt mesh) {
        return mesh.isEmpty() ? "an unknown mesh" : mesh(mesh.getAsInt());
    }

    /** Returns {@code mesh 0 (1x4 mesh) and mesh 1 (1x2 submesh of mesh 0)}, and the number of further ones. */
    String meshes(Collection<Integer> meshes) {
        return TruncatedText.list(meshes.stream().map(this::mesh).toList(), MAX_NAMED, " and ");
    }

    private String mesh(int id) {
        return "mesh " + id
                + history.meshes().stream()
                        .filter(mesh -> mesh.id() == id)
                        .reduce((earlier, later) -> later)
                        .map(mesh -> " (" + mesh.description() + ")")
                        .orElse("");
    }

    /** Returns the name of the allocator that reserved a buffer. */
    String allocator(BufferGeneration buffer) {
        return allocator(buffer.allocator(), buffer.mesh(), buffer.device());
    }

    /** Returns the name of the allocator that a request names: that of its mesh, unless it belongs to none. */
    String allocator(MemoryRequest request, int device) {
        return allocator(request.details().allocator(), request.details().mesh(), device);
    }

    private String allocator(Optional<AllocatorId> allocator, OptionalInt mesh, int device) {
        return switch (allocator.map(AllocatorId::kind).orElse(AllocatorId.Kind.MESH)) {
            case MESH -> mesh(mesh);
            case DEVICE -> "the own allocator of device " + device;
            case SUB_DEVICE -> allocator.orElseThrow() + " of " + mesh(mesh);
        };
    }
}
