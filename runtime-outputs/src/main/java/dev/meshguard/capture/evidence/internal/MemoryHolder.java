package dev.meshguard.capture.evidence.internal;

import dev.meshguard.event.Origin;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A buffer that was allocated in a memory at a moment, for a note about that moment.
 *
 * @param address the address
 * @param size the bytes on one device
 * @param device the device
 * @param label what the buffer is for, if it is known
 * @param origin returns the stack of the allocation, if it is known; it may be known at the end of a file only
 * @param record where its allocation is recorded, with its preposition; named if there is no line of code
 */
public record MemoryHolder(
        long address, long size, int device, Optional<String> label, Supplier<Optional<Origin>> origin, String record) {

    private static final int MAX_NAMED = 3;

    /** Buffers of one address, one for each device. */
    private record Place(long address, long size, Optional<String> label, Optional<String> site) {}

    /** Returns buffers as a part of a sentence, the largest first; buffers of one address on several devices are one. */
    public static String text(List<MemoryHolder> holders) {
        List<List<MemoryHolder>> largestFirst = new ArrayList<>(holders.stream()
                .collect(Collectors.groupingBy(
                        holder -> new Place(holder.address, holder.size, holder.label, holder.site())))
                .values());
        largestFirst.sort(Comparator.comparing(
                place -> place.get(0),
                Comparator.comparingLong(MemoryHolder::size).reversed().thenComparing(MemoryHolder::address)));
        String text = largestFirst.stream()
                .limit(MAX_NAMED)
                .map(MemoryHolder::description)
                .collect(Collectors.joining("; "));
        if (largestFirst.size() > MAX_NAMED) {
            List<Long> others = largestFirst.stream()
                    .skip(MAX_NAMED)
                    .map(place -> place.get(0).size())
                    .toList();
            text += "; and " + Quantities.count(others.size(), "more buffer") + " of "
                    + Quantities.size(others.stream().reduce(0L, Quantities::saturatedSum));
        }
        return text;
    }

    private Optional<String> site() {
        return origin.get().flatMap(Origin::site).map(site -> "at " + site);
    }

    private static String description(List<MemoryHolder> place) {
        MemoryHolder first = place.get(0);
        long devices = place.stream().mapToInt(MemoryHolder::device).distinct().count();
        return Quantities.size(first.size) + " at " + Quantities.address(first.address)
                + (devices == 1 ? "" : " on each of " + devices + " devices")
                + first.label
                        .map(label -> ", label " + Quantities.quoted(label))
                        .orElse("")
                + ", " + first.site().orElse(first.record);
    }
}
