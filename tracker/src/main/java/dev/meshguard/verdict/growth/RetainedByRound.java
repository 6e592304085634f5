package dev.meshguard.verdict.growth;

import dev.meshguard.history.Timeline;
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

/** The survivors at the ends of rounds, by site and by memory. */
final class RetainedByRound {

    private record SiteOnDevice(AllocationSite site, int device) {}

    /** The buffers and bytes that each round added or removed, by round, from 1. */
    private record SiteSeries(SortedMap<Integer, Long> buffers, SortedMap<Integer, Long> bytes) {}

    private final RoundMarks marks;
    private final Map<DeviceMemory, Timeline.Curve> curves;
    private final SiteIndex sites = new SiteIndex();
    private final Map<SiteOnDevice, SiteSeries> series = new LinkedHashMap<>();

    /** Finds the survivors of the rounds of a verdict's history. */
    RetainedByRound(LeakVerdict verdict, RoundMarks marks) {
        this.marks = marks;
        HeldMemory held = new HeldMemory(verdict);
        this.curves = held.timeline().curvesBy(DeviceMemory::of);
        for (HeldMemory.HoldInterval interval : held.holdIntervals()) {
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
            SiteOnDevice where =
                    new SiteOnDevice(sites.siteOf(held.buffer()), held.buffer().device());
            SiteSeries ofSite =
                    series.computeIfAbsent(where, unused -> new SiteSeries(new TreeMap<>(), new TreeMap<>()));
            ofSite.buffers().merge(round, direction, Long::sum);
            ofSite.bytes().merge(round, direction * held.size(), Long::sum);
        }
    }

    /** Returns the survivors in each memory. */
    SortedMap<DeviceMemory, RoundVector> byMemory() {
        SortedMap<DeviceMemory, RoundVector> vectors = new TreeMap<>();
        curves.forEach((memory, curve) -> vectors.put(memory, retained(curve)));
        return vectors;
    }

    private RoundVector retained(Timeline.Curve curve) {
        SortedMap<Integer, Long> amounts = new TreeMap<>();
        for (int step = curve.firstStepFrom(marks.start()); step < curve.steps(); step++) {
            int round = marks.roundOf(curve.event(step));
            if (round <= marks.rounds()) {
                amounts.merge(round, curve.bytes(step) - (step == 0 ? 0 : curve.bytes(step - 1)), Long::sum);
            }
        }
        return new RoundVector(marks.rounds(), amounts);
    }

    /** Returns the growth of each site, in the order of first survivors; devices with the same growth are joined. */
    List<SiteGrowth> bySite(int warmUp) {
        Map<Object, SiteGrowth> grouped = new LinkedHashMap<>();
        series.forEach((where, ofSite) -> {
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
