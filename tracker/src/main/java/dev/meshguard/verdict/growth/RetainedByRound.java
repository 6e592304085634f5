package dev.meshguard.verdict.growth;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.internal.HeldMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The survivors at the ends of rounds, by site and by memory. */
final class RetainedByRound {

    /** One site on one device. */
    record SiteOnDevice(AllocationSite site, int device) {}

    /** The data of one site on one device. */
    static final class SiteSeries {
        private final RoundVector.Builder buffers = new RoundVector.Builder();
        private final RoundVector.Builder bytes = new RoundVector.Builder();
        private Optional<Origin> origin = Optional.empty();
    }

    private record Change(int round, SiteOnDevice spot, Optional<Origin> origin, int buffers, long bytes) {}

    private final int rounds;
    private final List<Change> changes = new ArrayList<>();
    private final Map<Origin, Optional<String>> callSites = new HashMap<>();

    private RetainedByRound(int rounds) {
        this.rounds = rounds;
    }

    /** Returns the survivors of the rounds of a verdict's history. */
    static RetainedByRound of(LeakVerdict verdict, RoundMarks marks) {
        RetainedByRound retained = new RetainedByRound(marks.rounds());
        new HeldMemory(verdict).holdIntervals().forEach(interval -> retained.add(interval, marks));
        retained.changes.sort(Comparator.comparingInt(Change::round));
        return retained;
    }

    private void add(HeldMemory.HoldInterval interval, RoundMarks marks) {
        int from = marks.firstSeenAtEndOf(interval.from());
        int until = marks.firstSeenAtEndOf(interval.until());
        boolean sinceBefore = interval.from() < marks.start();
        if (from == rounds) {
            return;
        }
        if (from < until && !sinceBefore) {
            change(from, interval, 1);
        }
        if ((from < until || sinceBefore) && until < rounds && interval.until() > marks.start()) {
            change(until, interval, -1);
        }
    }

    /** Adds or removes a buffer of a size at the end of a round, from 0. */
    private void change(int round, HeldMemory.HoldInterval held, int direction) {
        BufferGeneration buffer = held.buffer();
        Optional<Origin> origin = buffer.origin();
        Optional<String> place = origin.flatMap(known -> callSites.computeIfAbsent(known, AllocationSite::callSiteOf));
        SiteOnDevice spot = new SiteOnDevice(AllocationSite.of(buffer, place), buffer.device());
        changes.add(new Change(round, spot, origin, direction, direction * held.size()));
    }

    /** Returns the survivors in each memory. */
    SortedMap<DeviceMemory, RoundVector> byMemory() {
        SortedMap<DeviceMemory, RoundVector.Builder> builders = new TreeMap<>();
        for (Change change : changes) {
            BufferType type = change.spot().site().type();
            builders.computeIfAbsent(
                            new DeviceMemory(change.spot().device(), type), unused -> new RoundVector.Builder())
                    .add(change.round(), change.bytes());
        }
        SortedMap<DeviceMemory, RoundVector> vectors = new TreeMap<>();
        builders.forEach((memory, builder) -> vectors.put(memory, builder.build(rounds)));
        return vectors;
    }

    /** Returns the growth of each site, in the order of first survivors; devices with the same growth are joined. */
    List<SiteGrowth> bySite(int warmUp) {
        Map<SiteOnDevice, SiteSeries> heaps = new LinkedHashMap<>();
        for (Change change : changes) {
            SiteSeries heap = heaps.computeIfAbsent(change.spot(), unused -> new SiteSeries());
            heap.buffers.add(change.round(), change.buffers());
            heap.bytes.add(change.round(), change.bytes());
            heap.origin = heap.origin.or(change::origin);
        }
        Map<Object, SiteGrowth> grouped = new LinkedHashMap<>();
        heaps.forEach((spot, heap) -> {
            RoundVector buffers = heap.buffers.build(rounds);
            RoundVector bytes = heap.bytes.build(rounds);
            if (!bytes.isZero() || !buffers.isZero()) {
                SiteGrowth one = new SiteGrowth(
                        spot.site(),
                        heap.origin,
                        List.of(spot.device()),
                        buffers,
                        bytes,
                        GrowthTrend.of(bytes, warmUp).trend());
                grouped.merge(List.of(spot.site(), buffers, bytes), one, RetainedByRound::together);
            }
        });
        return List.copyOf(grouped.values());
    }

    private static SiteGrowth together(SiteGrowth one, SiteGrowth other) {
        List<Integer> devices = new ArrayList<>(one.devices());
        devices.addAll(other.devices());
        devices.sort(null);
        return new SiteGrowth(one.site(), one.origin(), devices, one.buffers(), one.bytes(), one.trend());
    }
}
