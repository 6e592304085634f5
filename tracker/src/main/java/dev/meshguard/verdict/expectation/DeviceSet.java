package dev.meshguard.verdict.expectation;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The devices to which an expectation applies: all, or those with the given ids.
 *
 * @param ids the device ids, ascending; empty for all devices
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DeviceSet(List<Integer> ids) {

    private static final Pattern PART = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

    /**
     * Creates a set with its own copy of the ids, sorted and without doubles.
     *
     * @throws IllegalArgumentException if an id is negative or higher than {@value HistoryEvent#MAX_DEVICE}
     */
    public DeviceSet {
        ids = List.copyOf(new TreeSet<>(ids));
        for (int id : ids) {
            ExpectationChecks.rejectNegative("device", id);
            if (id > HistoryEvent.MAX_DEVICE) {
                throw new IllegalArgumentException(InvariantText.of(
                        "An expected buffer's device is at most %d: %d was given.", HistoryEvent.MAX_DEVICE, id));
            }
        }
    }

    /** Returns the set of all devices. */
    public static DeviceSet any() {
        return new DeviceSet(List.of());
    }

    /** Returns the set of the given devices. */
    public static DeviceSet of(int... ids) {
        return new DeviceSet(Arrays.stream(ids).boxed().toList());
    }

    /** Returns the set of the given devices. */
    public static DeviceSet of(Collection<Integer> ids) {
        return new DeviceSet(List.copyOf(ids));
    }

    /**
     * Parses the output of {@link #toString}: ids and ranges of ids, {@code 0-3,5}.
     *
     * @throws IllegalArgumentException if the text is no such list
     */
    public static DeviceSet parse(String text) {
        TreeSet<Integer> ids = new TreeSet<>();
        for (String part : text.split(",", -1)) {
            ids.addAll(range(part)
                    .orElseThrow(() -> new IllegalArgumentException(InvariantText.of(
                            "Devices are ids and ranges of ids up to %d, for example 0-3,5: \"%s\" was given.",
                            HistoryEvent.MAX_DEVICE, text))));
        }
        return new DeviceSet(List.copyOf(ids));
    }

    private static Optional<List<Integer>> range(String text) {
        Matcher part = PART.matcher(text);
        if (!part.matches()) {
            return Optional.empty();
        }
        int first = Integer.parseInt(part.group(1));
        int last = part.group(2) == null ? first : Integer.parseInt(part.group(2));
        // A range up to two thousand million would be a typing error, and would fill the heap.
        return first > last || last > HistoryEvent.MAX_DEVICE
                ? Optional.empty()
                : Optional.of(IntStream.rangeClosed(first, last).boxed().toList());
    }

    /** Returns whether it is the set of all devices. */
    public boolean isAny() {
        return ids.isEmpty();
    }

    /** Returns whether a device is in it. */
    public boolean contains(int device) {
        return isAny() || ids.contains(device);
    }

    /** Returns the set as {@link #parse} reads it: {@code 0-3,5}; {@code all} for all devices. */
    @Override
    public String toString() {
        return isAny() ? "all" : Quantities.ranges(ids, ",");
    }
}
