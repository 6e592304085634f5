package dev.meshguard.mesh.allocator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * The addresses that are free in one free list and not allocated by any other list over the same addresses.
 *
 * <p>Source: {@code compute_available_addresses} in {@code tt_metal/impl/allocator/bank_manager.cpp}.
 */
final class Gaps {

    private static final Comparator<AddressRange> BY_START = Comparator.comparingLong(AddressRange::start);

    private final List<AddressRange> ranges;

    private Gaps(List<AddressRange> ranges) {
        this.ranges = ranges;
    }

    /** {@return the available ranges above the limit, without the occupied ones, which may overlap or be empty} */
    static Gaps between(List<AddressRange> available, List<AddressRange> occupied, long limit) {
        var obstacles = merged(occupied);
        var gaps = new ArrayList<AddressRange>();
        int next = 0;
        for (AddressRange range : sorted(available)) {
            long start = Math.max(range.start(), limit);
            while (next < obstacles.size() && obstacles.get(next).end() <= start) {
                next++;
            }
            for (int i = next; i < obstacles.size() && obstacles.get(i).start() < range.end(); i++) {
                addUnlessEmpty(gaps, start, obstacles.get(i).start());
                start = Math.max(start, obstacles.get(i).end());
            }
            addUnlessEmpty(gaps, start, range.end());
        }
        return new Gaps(gaps);
    }

    /** {@return the first address at which the size fits, in the direction of the search} */
    OptionalLong find(long size, AllocationDirection direction) {
        return direction.isBottomUp() ? findLowest(size) : findHighest(size);
    }

    private OptionalLong findLowest(long size) {
        return ranges.stream()
                .filter(range -> range.size() >= size)
                .mapToLong(AddressRange::start)
                .findFirst();
    }

    private OptionalLong findHighest(long size) {
        for (int i = ranges.size() - 1; i >= 0; i--) {
            if (ranges.get(i).size() >= size) {
                return OptionalLong.of(ranges.get(i).end() - size);
            }
        }
        return OptionalLong.empty();
    }

    private static List<AddressRange> merged(List<AddressRange> ranges) {
        var merged = new ArrayList<AddressRange>();
        for (AddressRange range : sorted(ranges)) {
            int last = merged.size() - 1;
            if (range.size() == 0) {
                continue;
            }
            if (last >= 0 && range.start() <= merged.get(last).end()) {
                AddressRange before = merged.get(last);
                merged.set(last, new AddressRange(before.start(), Math.max(before.end(), range.end())));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    private static List<AddressRange> sorted(List<AddressRange> ranges) {
        return ranges.stream().sorted(BY_START).toList();
    }

    private static void addUnlessEmpty(List<AddressRange> gaps, long start, long end) {
        if (start < end) {
            gaps.add(new AddressRange(start, end));
        }
    }
}
