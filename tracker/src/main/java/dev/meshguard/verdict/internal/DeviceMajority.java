package dev.meshguard.verdict.internal;

import dev.meshguard.history.BufferGeneration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The behaviour of most devices towards related buffers: how many they allocated and freed.
 *
 * <p>The reference is the behaviour of more than half of the devices. Two devices that differ have none.
 */
final class DeviceMajority {

    /**
     * The counts of one device.
     *
     * @param allocated how many buffers it allocated
     * @param freed how many of them it freed
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
     * Counts for each device.
     *
     * @param siblings the related buffers
     * @param provedFreeAt returns the snapshot that lists a buffer of the ledger as free, if there is one: it counts as
     *     freed. Only called where one witness covers all of them
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

    /** Returns the counts of more than half of the devices, if so many agree. */
    Optional<AllocationFreeCount> reference() {
        return reference;
    }

    int devices() {
        return devices.size();
    }

    /** Returns how many devices agree with the reference. */
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

    /** Returns whether all frees were garbage collections of handles. */
    boolean freesWereCollections() {
        return freesWereCollections;
    }
}
