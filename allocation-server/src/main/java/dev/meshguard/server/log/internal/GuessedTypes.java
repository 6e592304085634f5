package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Remembers the memory types that were guessed for frees of nothing, because a free does not contain the type.
 *
 * <p>If an allocation of another type follows at the address, the free may be its own, and the history does not show that. Not safe
 * for use by several threads.
 */
public final class GuessedTypes {

    /** A free, with the types of which no allocation has followed yet. */
    private record Guess(String free, BufferType type, Set<BufferType> others) {}

    private final Map<Integer, Map<Long, Guess>> guesses = new HashMap<>();

    /**
     * Records a free of nothing.
     *
     * @param free names the free in a text
     * @param type the type that was guessed
     */
    public void freed(int device, long address, BufferType type, String free) {
        guesses.computeIfAbsent(device, unused -> new HashMap<>())
                .put(address, new Guess(free, type, EnumSet.complementOf(EnumSet.of(type))));
    }

    /**
     * Returns the earlier free that may be that of an allocation: what the history has to record as a loss, after the allocation.
     * The first allocation of each type may be what was freed.
     *
     * @return the continuation of a sentence that names the allocation; none if the history shows the free
     */
    public Optional<String> allocated(int device, long address, BufferType type) {
        if (guesses.isEmpty()) {
            return Optional.empty();
        }
        Guess guess = guesses.getOrDefault(device, Map.of()).get(address);
        return guess == null || !guess.others.remove(type)
                ? Optional.empty()
                : Optional.of(
                        "allocates " + type + " " + HistoryEvent.addressOn(device, address) + ", and " + guess.free
                                + ", which was recorded as one of " + guess.type
                                + ", may be its free: reports are missing or out of order");
    }

    /** Forgets the frees on a device: what is allocated after it was opened again was freed by none of them. */
    public void deviceOpened(int device) {
        guesses.remove(device);
    }
}
