package dev.meshguard.mesh.allocator;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies between allocators that share one range of addresses and must avoid each other's allocations.
 *
 * <p>Allocators are numbered from 0. A dependency is symmetric, whichever side declares it. Immutable and safe for use by
 * several threads. Source: {@code BankManager::AllocatorDependencies} in {@code tt_metal/impl/allocator/bank_manager.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocatorDependencies {

    private static final AllocatorDependencies NONE = new AllocatorDependencies(List.of(List.of()));

    private final List<List<Integer>> dependencies;

    private AllocatorDependencies(List<List<Integer>> dependencies) {
        this.dependencies = dependencies;
    }

    /** {@return the normal case: one allocator without dependencies} */
    public static AllocatorDependencies none() {
        return NONE;
    }

    /**
     * {@return the allocators in a map, as a key or as a dependency, and those with lower numbers}
     *
     * @param dependencies for each allocator the allocators that it must avoid; empty for a single allocator
     * @throws MeshRuntimeException if an allocator names a dependency more than once
     * @throws IllegalArgumentException if a number is negative
     */
    public static AllocatorDependencies of(Map<Integer, List<Integer>> dependencies) {
        if (dependencies.isEmpty()) {
            return none();
        }
        var avoided = new TreeMap<Integer, SortedSet<Integer>>();
        new TreeMap<>(dependencies).forEach((allocator, others) -> {
            requireNoDuplicates(allocator, others);
            avoided.computeIfAbsent(requireNotNegative(allocator), id -> new TreeSet<>());
            others.forEach(other -> addBothWays(avoided, allocator, requireNotNegative(other)));
        });
        return new AllocatorDependencies(IntStream.rangeClosed(0, avoided.lastKey())
                .mapToObj(id -> List.copyOf(avoided.getOrDefault(id, new TreeSet<>())))
                .toList());
    }

    /** {@return for each allocator, by its number, those that it must avoid, in ascending order} */
    public List<List<Integer>> dependencies() {
        return dependencies;
    }

    /** {@return the number of allocators, at least 1} */
    public int allocatorCount() {
        return dependencies.size();
    }

    /**
     * Returns the allocators that one must avoid.
     *
     * @param allocatorId the number of the allocator
     * @return the others' numbers in ascending order
     * @throws MeshRuntimeException if there is no such allocator
     */
    public List<Integer> avoidedBy(int allocatorId) {
        requireKnown(allocatorId);
        return dependencies.get(allocatorId);
    }

    /** {@return whether the other has as many allocators, which avoid each other in the same way} */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AllocatorDependencies that && dependencies.equals(that.dependencies);
    }

    @Override
    public int hashCode() {
        return dependencies.hashCode();
    }

    /** {@return for each allocator the allocators that it must avoid, as nested lists} */
    @Override
    public String toString() {
        return dependencies.toString();
    }

    void requireKnown(int allocatorId) {
        if (allocatorId < 0 || allocatorId >= dependencies.size()) {
            throw new MeshRuntimeException(AllocatorMessages.invalidAllocatorId(allocatorId, dependencies.size()));
        }
    }

    private static void addBothWays(Map<Integer, SortedSet<Integer>> avoided, int one, int other) {
        avoided.computeIfAbsent(one, id -> new TreeSet<>()).add(other);
        avoided.computeIfAbsent(other, id -> new TreeSet<>()).add(one);
    }

    private static void requireNoDuplicates(int allocatorId, List<Integer> others) {
        var seen = new HashSet<Integer>();
        for (int other : others) {
            if (!seen.add(other)) {
                throw new MeshRuntimeException(AllocatorMessages.duplicateDependency(allocatorId, other));
            }
        }
    }

    private static int requireNotNegative(int allocatorId) {
        if (allocatorId < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot use %d as an allocator id: ids start at 0. Number the allocators from 0 upwards.",
                    allocatorId));
        }
        return allocatorId;
    }
}
