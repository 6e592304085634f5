package dev.meshguard.verdict;

import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Origin;
import dev.meshguard.tracker.history.BufferGeneration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Survivors that are one thing to the reader: the same request or line of code, type, size, label and cause, on
 * however many devices.
 *
 * @param survivors the survivors, oldest first; at least one
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SurvivorGroup(List<Survivor> survivors) {

    private record Key(
            Object where, BufferType type, long size, Optional<String> label, Cause cause, Standing standing) {}

    /** A request without an origin is told from others by itself only. */
    private record SameRequest(AllocationRequest request) {
        @Override
        public boolean equals(Object other) {
            return other instanceof SameRequest same && same.request == request;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(request);
        }
    }

    /** Creates a group with its own copy of the survivors. */
    public SurvivorGroup {
        survivors = List.copyOf(survivors);
        if (survivors.isEmpty()) {
            throw new IllegalArgumentException("A group of survivors has at least one: none was given");
        }
    }

    /** Groups survivors; groups come in the order of their oldest survivor. */
    public static List<SurvivorGroup> group(List<Survivor> survivors) {
        Map<Key, List<Survivor>> groups = new LinkedHashMap<>();
        for (Survivor survivor : survivors) {
            BufferGeneration buffer = survivor.buffer();
            Object where = buffer.origin()
                    .filter(origin -> !origin.frames().isEmpty())
                    .map(Object.class::cast)
                    .orElseGet(() -> new SameRequest(buffer.request()));
            Key key =
                    new Key(where, buffer.type(), buffer.size(), buffer.label(), survivor.cause(), survivor.standing());
            groups.computeIfAbsent(key, unused -> new ArrayList<>()).add(survivor);
        }
        return groups.values().stream().map(SurvivorGroup::new).toList();
    }

    /** Returns the oldest survivor. */
    public Survivor first() {
        return survivors.get(0);
    }

    /** Returns why they survived. */
    public Cause cause() {
        return first().cause();
    }

    /** Returns how they count. */
    public Standing standing() {
        return first().standing();
    }

    /** Returns the memory. */
    public BufferType type() {
        return first().buffer().type();
    }

    /** Returns the size of each, in bytes. */
    public long size() {
        return first().buffer().size();
    }

    /** Returns the bytes of all, at most {@link Long#MAX_VALUE}. */
    public long bytes() {
        long high = Math.multiplyHigh(size(), survivors.size());
        long bytes = size() * survivors.size();
        return high == 0 && bytes >= 0 ? bytes : Long.MAX_VALUE;
    }

    /** Returns the devices that hold one, ascending. */
    public List<Integer> devices() {
        TreeSet<Integer> devices = new TreeSet<>();
        survivors.forEach(survivor -> devices.add(survivor.buffer().device()));
        return List.copyOf(devices);
    }

    /** Returns the label they share, if they have one. */
    public Optional<String> label() {
        return first().buffer().label();
    }

    /** Returns the place in the code that asked for them, if it was captured. */
    public Optional<Origin> origin() {
        return first().buffer().origin().filter(origin -> !origin.frames().isEmpty());
    }

    /** Returns the facts behind the cause of the oldest; where others have more of the same, only these are shown. */
    public List<Evidence> evidence() {
        return first().diagnosis().evidence();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s (%s): %s %d B x %d on devices %s",
                cause(),
                standing().words(),
                type(),
                size(),
                survivors.size(),
                devices());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SurvivorGroup group && survivors.equals(group.survivors);
    }

    @Override
    public int hashCode() {
        return Objects.hash(survivors);
    }
}
