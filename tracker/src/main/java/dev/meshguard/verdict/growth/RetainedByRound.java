package dev.meshguard.verdict.growth;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.internal.HoldIntervals;
import dev.meshguard.verdict.internal.SiteIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The survivors at the ends of the rounds of a verdict's history, by site, by memory and by the words for their units. */
final class RetainedByRound {

    private static final DeviceMemory OF_NO_DEVICE = new DeviceMemory(HistoryEvent.NO_DEVICE, BufferType.SYSTEM_MEMORY);

    private record SiteOnDevice(AllocationSite site, Optional<String> source, int device) {}

    /** The buffers and bytes that each round added or removed, by round, from 1. */
    private static final class Series {
        private final SortedMap<Integer, Long> buffers = new TreeMap<>();
        private final SortedMap<Integer, Long> bytes = new TreeMap<>();
        private final Set<Owner> owners = new LinkedHashSet<>();
        private final SourceVocabulary words;

        private Series(SourceVocabulary words) {
            this.words = words;
        }
    }

    private final AllocationHistory history;
    private final RoundMarks marks;
    private final SiteIndex sites = new SiteIndex();
    private final Map<SiteOnDevice, Series> bySite = new LinkedHashMap<>();
    private final Map<DeviceMemory, SortedMap<Integer, Long>> byMemory = new TreeMap<>();
    private final Map<SourceVocabulary, SortedMap<Integer, Long>> byUnit = new LinkedHashMap<>();
    /** The same of memory of unknown size alone. */
    private final Map<SourceVocabulary, SortedMap<Integer, Long>> byUnsizedUnit = new HashMap<>();

    /** Finds the survivors. */
    RetainedByRound(LeakVerdict verdict, RoundMarks marks) {
        this.history = verdict.history();
        this.marks = marks;
        for (BufferGeneration.HoldInterval interval : new HoldIntervals(verdict).holdIntervals()) {
            int from = marks.roundOf(interval.from());
            int until = marks.roundOf(interval.until());
            if (marks.isCounted(from, until)) {
                add(interval, from, until);
            }
        }
    }

    private void add(BufferGeneration.HoldInterval held, int from, int until) {
        BufferGeneration buffer = held.buffer();
        SiteOnDevice site = new SiteOnDevice(
                sites.siteOf(buffer), buffer.request().details().source(), buffer.device());
        Series ofSite = bySite.computeIfAbsent(site, unused -> new Series(history.vocabularyOf(buffer.request())));
        marks.add(from, until, 1, ofSite.buffers);
        marks.add(from, until, held.size(), ofSite.bytes);
        buffer.owner().ifPresent(ofSite.owners::add);
        DeviceMemory memory = new DeviceMemory(buffer.device(), buffer.type());
        marks.add(from, until, held.size(), byMemory.computeIfAbsent(memory, unused -> new TreeMap<>()));
        if (!buffer.hasDevice()) {
            marks.add(from, until, 1, byUnit.computeIfAbsent(ofSite.words, unused -> new TreeMap<>()));
            if (held.size() == 0) {
                marks.add(from, until, 1, byUnsizedUnit.computeIfAbsent(ofSite.words, unused -> new TreeMap<>()));
            }
        }
    }

    /**
     * Returns the growth of each memory that the rounds changed, by type and device, and then in units of that of which some is of
     * unknown size, in the order of first survivors.
     *
     * <p>The latter grows if there are more units of it, and more of unknown size among them: one may lose its bytes, and bytes may be in more units than
     * before.
     */
    List<MemoryGrowth> byMemory(int warmUp) {
        Stream<MemoryGrowth> inBytes = byMemory.entrySet().stream()
                .map(memory -> new MemoryGrowth(memory.getKey(), Optional.empty(), vector(warmUp, memory.getValue())));
        Stream<MemoryGrowth> inUnits = byUnit.entrySet().stream()
                .flatMap(unit -> Optional.ofNullable(byUnsizedUnit.get(unit.getKey()))
                        .map(unsized -> quieter(vector(warmUp, unit.getValue()), vector(warmUp, unsized)))
                        .map(units -> new MemoryGrowth(OF_NO_DEVICE, Optional.of(unit.getKey()), units))
                        .stream());
        return Stream.concat(inBytes, inUnits)
                .filter(growth -> !growth.amounts().isZero())
                .toList();
    }

    private static RoundVector quieter(RoundVector one, RoundVector other) {
        return one.trend().compareTo(other.trend()) <= 0 ? one : other;
    }

    /** Returns the growth of each site, in the order of first survivors; devices with the same growth are joined. */
    List<SiteGrowth> bySite(int warmUp) {
        Map<Object, SiteGrowth> grouped = new LinkedHashMap<>();
        bySite.forEach((where, series) -> {
            RoundVector buffers = vector(warmUp, series.buffers);
            RoundVector bytes = vector(warmUp, series.bytes);
            if (!bytes.isZero() || !buffers.isZero()) {
                SiteGrowth one = new SiteGrowth(
                        where.site(),
                        series.words,
                        sites.originOf(where.site()),
                        List.of(where.device()),
                        buffers,
                        bytes,
                        List.copyOf(series.owners));
                grouped.merge(List.of(where.site(), series.words, buffers, bytes), one, RetainedByRound::together);
            }
        });
        return List.copyOf(grouped.values());
    }

    private RoundVector vector(int warmUp, SortedMap<Integer, Long> amounts) {
        return new RoundVector(marks.rounds(), warmUp, amounts);
    }

    private static SiteGrowth together(SiteGrowth one, SiteGrowth other) {
        List<Integer> devices = new ArrayList<>(one.devices());
        devices.addAll(other.devices());
        devices.sort(null);
        List<Owner> owners = Stream.concat(one.owners().stream(), other.owners().stream())
                .distinct()
                .toList();
        return new SiteGrowth(one.site(), one.words(), one.origin(), devices, one.buffers(), one.bytes(), owners);
    }
}
