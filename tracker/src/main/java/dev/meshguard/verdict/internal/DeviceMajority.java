package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.history.BufferGeneration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What each device did with buffers that belong together: how many it took, and how many it gave back.
 *
 * <p>What more than half of the devices did is the reference. Two devices that differ have none.
 */
final class DeviceMajority {

    /**
     * What one device did.
     *
     * @param allocated how many buffers it took
     * @param freed how many of them it gave back
     */
    record AllocationFreeCount(int allocated, int freed) {

        int live() {
            return allocated - freed;
        }
    }

    private final Map<Integer, AllocationFreeCount> devices = new TreeMap<>();
    private final Optional<AllocationFreeCount> reference;
    private final long lastFree;
    private final boolean freesWereCollections;

    /**
     * Adds up what the devices did.
     *
     * @param siblings what belongs together
     * @param provedFreeAt the reading that calls a buffer free which the books still hold, if one does: it was given back too.
     *     Only asked where one witness can speak for all of them
     */
    DeviceMajority(List<BufferGeneration> siblings, Function<BufferGeneration, OptionalLong> provedFreeAt) {
        boolean oneWitness = siblings.size() == 1
                || siblings.stream().map(BufferGeneration::mesh).distinct().count() == 1;
        long last = 0;
        boolean collected = true;
        for (BufferGeneration sibling : siblings) {
            OptionalLong freedAt = sibling.isLive() && oneWitness ? provedFreeAt.apply(sibling) : sibling.freedAt();
            boolean freed = freedAt.isPresent();
            devices.merge(
                    sibling.device(),
                    new AllocationFreeCount(1, freed ? 1 : 0),
                    (one, other) ->
                            new AllocationFreeCount(one.allocated() + other.allocated(), one.freed() + other.freed()));
            last = Math.max(last, freedAt.orElse(0));
            collected &= !freed || sibling.isCollected();
        }
        this.lastFree = last;
        this.freesWereCollections = collected && last > 0;
        this.reference = mostCommon();
    }

    private Optional<AllocationFreeCount> mostCommon() {
        if (devices.size() == 1) {
            return Optional.of(devices.values().iterator().next());
        }
        Map<AllocationFreeCount, Integer> votes = new HashMap<>();
        devices.values().forEach(tally -> votes.merge(tally, 1, Integer::sum));
        return votes.entrySet().stream()
                .filter(vote -> vote.getValue() * 2 > devices.size())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    AllocationFreeCount of(int device) {
        return devices.getOrDefault(device, new AllocationFreeCount(0, 0));
    }

    /** Returns what more than half of the devices did, if so many did the same. */
    Optional<AllocationFreeCount> reference() {
        return reference;
    }

    int devices() {
        return devices.size();
    }

    /** Returns how many devices did what most did. */
    long followers() {
        return devices.values().stream()
                .filter(tally -> reference.filter(tally::equals).isPresent())
                .count();
    }

    int allocated() {
        return devices.values().stream()
                .mapToInt(AllocationFreeCount::allocated)
                .sum();
    }

    int freed() {
        return devices.values().stream().mapToInt(AllocationFreeCount::freed).sum();
    }

    long lastFree() {
        return lastFree;
    }

    /** Returns whether nothing was freed by anybody who called for it. */
    boolean freesWereCollections() {
        return freesWereCollections;
    }
}
