package dev.meshguard.verdict.difference;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.internal.SiteIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The devices that differ from most devices, site by site.
 *
 * <p>The behaviour of most devices is the reference. A device under which the source reports more than it holds
 * ({@link MeshDescription#busiestDevice()}) does not count for it, and may have more: that results from reporting, not
 * from the code.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param deviations the sites at which devices differ, in the order of their oldest buffers
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DeviceDifference(List<Deviation> deviations) {

    /**
     * A site at which devices differ.
     *
     * @param site the common properties of the buffers
     * @param origin the place in the code, if it was captured
     * @param usual the use on most devices; of two equally common ones, that of a lower device
     * @param usualDevices the devices with this use, ascending
     * @param others the use on the other devices, by device
     */
    public record Deviation(
            AllocationSite site,
            Optional<Origin> origin,
            Usage usual,
            List<Integer> usualDevices,
            SortedMap<Integer, Usage> others) {

        /** Creates a deviation with its own copies of the collections. */
        public Deviation {
            usualDevices = List.copyOf(usualDevices);
            others = new TreeMap<>(others);
        }
    }

    /** Creates a difference with its own copy of the list. */
    public DeviceDifference {
        deviations = List.copyOf(deviations);
    }

    /** Returns how the devices of a history differ. */
    public static DeviceDifference of(AllocationHistory history) {
        SortedSet<Integer> devices = new TreeSet<>();
        Set<Integer> busy = new TreeSet<>();
        for (MeshDescription mesh : history.meshes()) {
            devices.addAll(mesh.devices());
            if (mesh.busiestDevice() >= 0) {
                busy.add(mesh.busiestDevice());
            }
        }
        if (devices.isEmpty()) {
            devices.addAll(history.devices());
            devices.remove(HistoryEvent.NO_DEVICE);
        }
        SiteIndex sites = new SiteIndex();
        Map<AllocationSite, SortedMap<Integer, Usage>> done = new LinkedHashMap<>();
        for (BufferGeneration buffer : history.generations()) {
            AllocationSite site = sites.siteOf(buffer);
            if (devices.contains(buffer.device())) {
                done.computeIfAbsent(site, unused -> nothing(devices))
                        .merge(buffer.device(), Usage.of(buffer), Usage::and);
            }
        }
        List<Deviation> deviations = new ArrayList<>();
        done.forEach((site, ofDevices) ->
                deviation(site, sites.originOf(site), ofDevices, busy).ifPresent(deviations::add));
        return new DeviceDifference(deviations);
    }

    /** Returns whether all devices did the same. */
    public boolean isEmpty() {
        return deviations.isEmpty();
    }

    private static SortedMap<Integer, Usage> nothing(SortedSet<Integer> devices) {
        SortedMap<Integer, Usage> usages = new TreeMap<>();
        devices.forEach(device -> usages.put(device, Usage.NOTHING));
        return usages;
    }

    private static Optional<Deviation> deviation(
            AllocationSite site, Optional<Origin> origin, SortedMap<Integer, Usage> done, Set<Integer> busy) {
        Map<Usage, List<Integer>> votes = new LinkedHashMap<>();
        done.forEach((device, usage) -> {
            if (!busy.contains(device)) {
                votes.computeIfAbsent(usage, unused -> new ArrayList<>()).add(device);
            }
        });
        Usage usual = votes.entrySet().stream()
                .max(Comparator.comparingInt(vote -> vote.getValue().size()))
                .map(Map.Entry::getKey)
                .orElse(Usage.NOTHING);
        SortedMap<Integer, Usage> others = new TreeMap<>(done);
        others.entrySet()
                .removeIf(one -> busy.contains(one.getKey())
                        ? one.getValue().isAtLeast(usual)
                        : one.getValue().equals(usual));
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(new Deviation(site, origin, usual, votes.getOrDefault(usual, List.of()), others));
    }
}
