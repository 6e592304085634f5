package dev.meshguard.verdict.difference;

import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.Timeline;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.internal.SiteIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The differences between two executions, for example since yesterday's successful one.
 *
 * <p>Sites are matched by the code that requests memory, the memory and the label ({@link AllocationSite}), never by
 * address or line number. Those change where nothing relevant does. Where no origin was captured, or a tracker of many
 * requests did not keep it, the size replaces it.
 *
 * <pre>{@code
 * HistoryDifference difference = HistoryDifference.between(yesterday, today);
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param changes the sites that allocated or retained more or less, those with new survivors first
 * @param peaks the memories whose peak changed, by type and device
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record HistoryDifference(List<UsageChange> changes, List<PeakChange> peaks) {

    /**
     * The change of one site, over all devices.
     *
     * @param site the common properties of the buffers
     * @param words the words of the source that reported them
     * @param origin the place in the code; that of the later execution if it is in both
     * @param before its use in the earlier execution
     * @param after its use in the later execution
     */
    public record UsageChange(
            AllocationSite site, SourceVocabulary words, Optional<Origin> origin, Usage before, Usage after) {

        /** Returns the site in the words of its source: {@code native memory from Store.open}. */
        public String name() {
            return site.text(words);
        }

        /** Returns the increase of its surviving buffers; negative for a decrease. */
        public long additionalLiveBuffers() {
            return after.liveBuffers() - before.liveBuffers();
        }

        /** Returns the increase of its surviving bytes; negative for a decrease. */
        public long additionalLiveBytes() {
            return after.liveBytes() - before.liveBytes();
        }

        /** Returns the increase of its allocated bytes; negative for a decrease. */
        public long moreBytes() {
            return after.bytes() - before.bytes();
        }
    }

    /**
     * The change of the most bytes in use at once.
     *
     * @param memory the memory
     * @param before in the earlier execution
     * @param after in the later execution
     */
    public record PeakChange(DeviceMemory memory, long before, long after) {}

    /** Creates a difference with its own copies of the lists. */
    public HistoryDifference {
        changes = List.copyOf(changes);
        peaks = List.copyOf(peaks);
    }

    /** Returns the differences of the later history from the earlier one. */
    public static HistoryDifference between(AllocationHistory before, AllocationHistory after) {
        SiteIndex earlier = new SiteIndex();
        SiteIndex later = new SiteIndex();
        Map<AllocationSite, SourceVocabulary> words = new HashMap<>();
        Map<AllocationSite, Usage> usedBefore = usages(before, earlier, words);
        Map<AllocationSite, Usage> usedAfter = usages(after, later, words);
        Set<AllocationSite> all = new LinkedHashSet<>(usedAfter.keySet());
        all.addAll(usedBefore.keySet());
        List<UsageChange> changes = new ArrayList<>();
        for (AllocationSite site : all) {
            Usage was = usedBefore.getOrDefault(site, Usage.NOTHING);
            Usage is = usedAfter.getOrDefault(site, Usage.NOTHING);
            if (!was.equals(is)) {
                Optional<Origin> origin = later.originOf(site).or(() -> earlier.originOf(site));
                changes.add(new UsageChange(site, Objects.requireNonNull(words.get(site)), origin, was, is));
            }
        }
        changes.sort(Comparator.comparingLong(UsageChange::additionalLiveBytes)
                .thenComparing(UsageChange::additionalLiveBuffers)
                .reversed()
                .thenComparing(change -> Math.abs(change.moreBytes()), Comparator.reverseOrder()));
        return new HistoryDifference(changes, peaks(before, after));
    }

    /** Returns whether both executions used memory alike. */
    public boolean isEmpty() {
        return changes.isEmpty() && peaks.isEmpty();
    }

    private static Map<AllocationSite, Usage> usages(
            AllocationHistory history, SiteIndex sites, Map<AllocationSite, SourceVocabulary> words) {
        Map<AllocationSite, Usage> usages = new LinkedHashMap<>();
        for (BufferGeneration buffer : history.generations()) {
            AllocationSite site = sites.siteOf(buffer);
            usages.merge(site, Usage.of(buffer), Usage::and);
            words.computeIfAbsent(site, unused -> history.vocabularyOf(buffer.request()));
        }
        return usages;
    }

    private static List<PeakChange> peaks(AllocationHistory before, AllocationHistory after) {
        Map<DeviceMemory, Timeline.Curve> was = before.timeline().curvesBy(DeviceMemory::of);
        Map<DeviceMemory, Timeline.Curve> is = after.timeline().curvesBy(DeviceMemory::of);
        Set<DeviceMemory> memories = new TreeSet<>(was.keySet());
        memories.addAll(is.keySet());
        return memories.stream()
                .map(memory -> new PeakChange(memory, peak(memory, was), peak(memory, is)))
                .filter(peak -> peak.before() != peak.after())
                .toList();
    }

    private static long peak(DeviceMemory memory, Map<DeviceMemory, Timeline.Curve> curves) {
        return curves.containsKey(memory) ? curves.get(memory).peakBytes() : 0;
    }
}
