package dev.meshguard.verdict.growth;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryCapacity;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.internal.HeldMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The free blocks of each memory of each mesh at the ends of rounds.
 *
 * <p>All devices of a mesh have the same addresses, so one of them stands for all. A memory is known if its mesh described where it
 * begins and how large it is, and if each buffer lies in it without an overlap.
 */
final class FreeBlocksByRound {

    private record Memory(int mesh, BufferType type) {}

    /** Frees come before allocations: a round may use an address again. */
    private record Change(int round, boolean allocates, long start, long end) {}

    private final Map<Integer, MeshDescription> meshes = new HashMap<>();
    private final Map<Memory, List<Change>> changes = new HashMap<>();
    private final Set<Memory> unknown = new HashSet<>();

    FreeBlocksByRound(AllocationHistory history) {
        history.meshes().forEach(mesh -> meshes.put(mesh.id(), mesh));
    }

    /**
     * Adds a buffer that is allocated at the ends of the rounds from one index to another, where it is gone; indexes
     * start at 0.
     */
    void held(BufferGeneration buffer, boolean sinceBefore, int from, int until) {
        if (buffer.mesh().isEmpty() || buffer.allocator().isEmpty() || !isOnFirstDevice(buffer)) {
            return;
        }
        Memory memory = new Memory(buffer.mesh().getAsInt(), buffer.type());
        OptionalLong bytes = HeldMemory.bytesPerBank(buffer);
        if (buffer.allocator().get().kind() == AllocatorId.Kind.SUB_DEVICE || bytes.isEmpty()) {
            unknown.add(memory); // The sub-devices have a part of this memory.
        } else if (isReserved(buffer)) {
            long end = buffer.address() + bytes.getAsLong();
            List<Change> ofMemory = changes.computeIfAbsent(memory, unused -> new ArrayList<>());
            ofMemory.add(new Change(sinceBefore ? -1 : from, true, buffer.address(), end));
            ofMemory.add(new Change(until, false, buffer.address(), end));
        }
    }

    private boolean isOnFirstDevice(BufferGeneration buffer) {
        MeshDescription mesh = meshes.get(buffer.mesh().getAsInt());
        return mesh != null && mesh.devices().get(0) == buffer.device();
    }

    /** Views reserve nothing. */
    private static boolean isReserved(BufferGeneration buffer) {
        return buffer.reports().stream()
                .anyMatch(report -> !report.request().details().view());
    }

    /** Returns the fragmentation of each known memory, by mesh and type. */
    List<FragmentationGrowth> growths(int rounds, int warmUp) {
        List<FragmentationGrowth> growths = new ArrayList<>();
        changes.keySet().stream()
                .filter(memory -> !unknown.contains(memory))
                .sorted(Comparator.comparing(Memory::mesh).thenComparing(Memory::type))
                .forEach(memory -> growth(memory, rounds, warmUp).ifPresent(growths::add));
        return growths;
    }

    private Optional<FragmentationGrowth> growth(Memory memory, int rounds, int warmUp) {
        Optional<MemoryCapacity> capacity = Optional.ofNullable(meshes.get(memory.mesh()))
                .flatMap(mesh -> mesh.capacityOf(memory.type()))
                .filter(known -> known.base().isPresent());
        if (capacity.isEmpty()) {
            return Optional.empty();
        }
        List<Change> inOrder = new ArrayList<>(changes.getOrDefault(memory, List.of()));
        inOrder.sort(Comparator.comparingInt(Change::round).thenComparing(Change::allocates));
        FreeBlocks free =
                new FreeBlocks(capacity.get().base().getAsLong(), capacity.get().bytesPerBank());
        RoundVector.Builder fragmented = new RoundVector.Builder();
        RoundVector.Builder largestFree = new RoundVector.Builder();
        long lastFragmented = 0;
        long lastLargest = free.largest();
        largestFree.add(0, lastLargest);
        for (int index = 0; index < inOrder.size(); ) {
            int round = inOrder.get(index).round();
            for (; index < inOrder.size() && inOrder.get(index).round() == round; index++) {
                if (!free.change(inOrder.get(index))) {
                    return Optional.empty();
                }
            }
            if (round < rounds) {
                long largest = free.largest();
                if (round >= 0) { // What was fragmented before the first round belongs to none.
                    fragmented.add(round, free.bytes() - largest - lastFragmented);
                }
                largestFree.add(Math.max(round, 0), largest - lastLargest);
                lastFragmented = free.bytes() - largest;
                lastLargest = largest;
            }
        }
        RoundVector ofRounds = fragmented.build(rounds);
        GrowthTrend trend = GrowthTrend.of(ofRounds, warmUp);
        return Optional.of(new FragmentationGrowth(
                memory.mesh(),
                memory.type(),
                ofRounds,
                largestFree.build(rounds),
                trend.trend(),
                trend.growth(),
                Math.max(0, rounds - warmUp),
                trend.roundsNeeded()));
    }

    /** The free blocks of a bank; a change takes logarithmic time. */
    private static final class FreeBlocks {

        private final TreeMap<Long, Long> endsByStart = new TreeMap<>();
        private final TreeMap<Long, Integer> countsBySize = new TreeMap<>();
        private long bytes;

        private FreeBlocks(long base, long size) {
            add(base, base + size);
        }

        private long bytes() {
            return bytes;
        }

        private long largest() {
            return countsBySize.isEmpty() ? 0 : countsBySize.lastKey();
        }

        /** Returns false if the memory cannot be as it was reported. */
        private boolean change(Change change) {
            if (change.allocates()) {
                return allocate(change.start(), change.end());
            }
            free(change.start(), change.end());
            return true;
        }

        private boolean allocate(long start, long end) {
            Map.Entry<Long, Long> block = endsByStart.floorEntry(start);
            if (block == null || block.getValue() < end) {
                return false;
            }
            remove(block.getKey(), block.getValue());
            add(block.getKey(), start);
            add(end, block.getValue());
            return true;
        }

        private void free(long start, long end) {
            long from = start;
            long to = end;
            Map.Entry<Long, Long> below = endsByStart.lowerEntry(start);
            if (below != null && below.getValue() == start) {
                from = below.getKey();
                remove(from, start);
            }
            Long above = endsByStart.get(end);
            if (above != null) {
                to = above;
                remove(end, to);
            }
            add(from, to);
        }

        private void add(long start, long end) {
            if (start < end) {
                endsByStart.put(start, end);
                countsBySize.merge(end - start, 1, Integer::sum);
                bytes += end - start;
            }
        }

        private void remove(long start, long end) {
            endsByStart.remove(start);
            countsBySize.merge(end - start, -1, (count, less) -> count + less == 0 ? null : count + less);
            bytes -= end - start;
        }
    }
}
