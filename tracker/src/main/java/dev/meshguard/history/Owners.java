package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.HistoryEvent.OwnerCached;
import dev.meshguard.event.HistoryEvent.OwnerEnded;
import dev.meshguard.event.Owner;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** The ends of the owners of a history, and the caches that keep them. */
final class Owners {

    private final Map<Owner, OwnerCached> cached = new HashMap<>();
    private final Map<Owner, List<OwnerEnded>> ends;
    /**
     * For each owner that ended, the open periods of each device in which it allocated. The same name in another period may
     * be another owner's.
     */
    private final Map<Owner, Map<Integer, Set<Integer>>> openPeriods = new HashMap<>();

    Owners(AllocationHistory history) {
        history.events(OwnerCached.class).forEach(event -> cached.put(event.owner(), event));
        ends = history.events(OwnerEnded.class).stream().collect(Collectors.groupingBy(OwnerEnded::owner));
        if (!ends.isEmpty()) {
            history.events(Allocated.class)
                    .forEach(report -> report.request()
                            .details()
                            .owner()
                            .filter(ends::containsKey)
                            .ifPresent(owner -> openPeriods
                                    .computeIfAbsent(owner, unused -> new HashMap<>())
                                    .computeIfAbsent(report.device(), unused -> new HashSet<>())
                                    .add(history.openPeriodAt(report.device(), report.number()))));
        }
    }

    /** Returns the event since which a cache keeps an owner, if one does or did. */
    Optional<OwnerCached> cachingOf(Owner owner) {
        return Optional.ofNullable(cached.get(owner));
    }

    /** Returns the number of the last end of an owner; empty if not every owner of this name ended. */
    OptionalLong endOf(Owner owner) {
        List<OwnerEnded> known = ends.getOrDefault(owner, List.of());
        return known.isEmpty() || known.size() < minimumOwners(owner)
                ? OptionalLong.empty()
                : OptionalLong.of(known.get(known.size() - 1).number());
    }

    /**
     * Returns the minimum number of owners with a name. Devices of one mesh may have different open periods, so one device
     * has to show several owners.
     */
    private int minimumOwners(Owner owner) {
        return openPeriods.getOrDefault(owner, Map.of()).values().stream()
                .mapToInt(Set::size)
                .max()
                .orElse(0);
    }
}
