package dev.meshguard.verdict.growth;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.internal.HeldMemory;
import dev.meshguard.verdict.internal.SiteIndex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The survivors at the ends of the rounds of a verdict's history, by site and by memory. */
final class RetainedByRound {

    private record SiteOnDevice(AllocationSite site, int device) {}

    /** The buffers and bytes that each round added or removed, by round, from 1. */
    private record Series(SortedMap<Integer, Long> buffers, SortedMap<Integer, Long> bytes) {

        private Series() {
            this(new TreeMap<>(), new TreeMap<>());
        }

        private void add(int round, long moreBuffers, long moreBytes) {
            buffers.merge(round, moreBuffers, Long::sum);
            bytes.merge(round, moreBytes, Long::sum);
        }
    }

    private final RoundMarks marks;
    private final SiteIndex sites = new SiteIndex();
    private final Map<SiteOnDevice, Series> bySite = new LinkedHashMap<>();
    private final Map<DeviceMemory, Series> byMemory = new TreeMap<>();

    /** Finds the survivors. */
    RetainedByRound(LeakVerdict verdict, RoundMarks marks) {
        this.marks = marks;
        for (HeldMemory.HoldInterval interval : new HeldMemory(verdict).holdIntervals()) {
            int from = marks.roundOf(interval.from());
            int until = marks.roundOf(interval.until());
            if (from != until) {
                change(from, interval, 1);
                change(until, interval, -1);
            }
        }
    }

    /** Adds or removes a buffer of a size at the end of a round. */
    private void change(int round, HeldMemory.HoldInterval held, long direction) {
        if (round >= 1 && round <= marks.rounds()) {
            BufferGeneration buffer = held.buffer();
            SiteOnDevice site = new SiteOnDevice(sites.siteOf(buffer), buffer.device());
            DeviceMemory memory = new DeviceMemory(buffer.device(), buffer.type());
            bySite.computeIfAbsent(site, unused -> new Series()).add(round, direction, direction * held.size());
            byMemory.computeIfAbsent(memory, unused -> new Series()).add(round, direction, direction * held.size());
        }
    }

    /** Returns the growth of each memory that the rounds changed, by type and device. */
    List<MemoryGrowth> byMemory(int warmUp) {
        List<MemoryGrowth> growths = new ArrayList<>();
        byMemory.forEach((memory, ofMemory) -> {
            RoundVector bytes = new RoundVector(marks.rounds(), ofMemory.bytes());
            if (!bytes.isZero()) {
                GrowthTrend trend = GrowthTrend.of(bytes, warmUp);
                growths.add(new MemoryGrowth(
                        memory,
                        bytes,
                        trend.trend(),
                        trend.growth(),
                        Math.max(0, marks.rounds() - warmUp),
                        trend.roundsNeeded()));
            }
        });
        return List.copyOf(growths);
    }

    /** Returns the growth of each site, in the order of first survivors; devices with the same growth are joined. */
    List<SiteGrowth> bySite(int warmUp) {
        Map<Object, SiteGrowth> grouped = new LinkedHashMap<>();
        bySite.forEach((where, ofSite) -> {
            RoundVector buffers = new RoundVector(marks.rounds(), ofSite.buffers());
            RoundVector bytes = new RoundVector(marks.rounds(), ofSite.bytes());
            if (!bytes.isZero() || !buffers.isZero()) {
                SiteGrowth one = new SiteGrowth(
                        where.site(),
                        sites.originOf(where.site()),
                        List.of(where.device()),
                        buffers,
                        bytes,
                        GrowthTrend.of(bytes, warmUp).trend());
                grouped.merge(List.of(where.site(), buffers, bytes), one, RetainedByRound::together);
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
