package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.history.internal.DeviceRecorder;
import dev.meshguard.history.internal.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The sums that a tracker kept of one device besides events.
 *
 * @param device the device id
 * @param ledgerEntries how many entries the ledger held
 * @param totals the totals that were ever used, by type and lifetime, that of the whole type first
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public record DeviceSums(int device, long ledgerEntries, List<TypeTotals> totals) {

    /**
     * The sums of one type, or of one type and lifetime.
     *
     * @param type the memory
     * @param lifetime who frees it; empty for all of the type, whose peak is not the sum of the peaks
     * @param amounts the sums
     */
    public record TypeTotals(BufferType type, Optional<BufferLifetime> lifetime, MemoryTotals amounts) {}

    /** Keeps no stack: a request that is counted again captures none. */
    private static final DeviceRecorder.StackKeeper NO_STACKS = new DeviceRecorder.StackKeeper() {
        @Override
        public void entered(MemoryRequest request) {}

        @Override
        public void removed(MemoryRequest request) {}
    };

    /** Creates sums with their own copy of the totals. */
    public DeviceSums {
        totals = List.copyOf(totals);
    }

    /** Returns the sums that a tracker would have kept of the given events, for a history whose sums were lost. */
    public static List<DeviceSums> countedFrom(List<HistoryEvent> events) {
        TreeMap<Integer, DeviceRecorder> devices = new TreeMap<>();
        events.forEach(event -> enter(event, devices));
        return of(devices);
    }

    /** Enters an event in the ledger of its device, if it is a report. */
    static void enter(HistoryEvent event, TreeMap<Integer, DeviceRecorder> devices) {
        if (event instanceof HistoryEvent.Allocated report) {
            ledgerOf(report.device(), devices)
                    .allocated(0, report.request(), report.type(), report.address(), report.size(), report.ownership());
        } else if (event instanceof HistoryEvent.Freed report) {
            ledgerOf(report.device(), devices)
                    .freed(0, report.request(), report.type(), report.address(), report.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored report) {
            ledgerOf(report.device(), devices);
        }
    }

    /** Returns the ledger of a device, a new one if there is none. */
    static DeviceRecorder ledgerOf(int device, TreeMap<Integer, DeviceRecorder> devices) {
        return devices.computeIfAbsent(device, unused -> new DeviceRecorder(device, false, NO_STACKS));
    }

    static List<DeviceSums> of(TreeMap<Integer, DeviceRecorder> devices) {
        return devices.values().stream()
                .map(recorder -> of(recorder.recording()))
                .toList();
    }

    static DeviceSums of(DeviceRecorder.Recording recording) {
        Totals kept = recording.totals();
        List<TypeTotals> accounts = new ArrayList<>();
        for (BufferType type : BufferType.values()) {
            add(accounts, type, Optional.empty(), kept.of(type));
            for (BufferLifetime lifetime : BufferLifetime.values()) {
                add(accounts, type, Optional.of(lifetime), kept.of(type, lifetime));
            }
        }
        return new DeviceSums(recording.device(), recording.entries(), accounts);
    }

    MemoryTotals of(BufferType type) {
        return of(type, Optional.empty());
    }

    MemoryTotals of(BufferType type, Optional<BufferLifetime> lifetime) {
        for (TypeTotals account : totals) {
            if (account.type() == type && account.lifetime().equals(lifetime)) {
                return account.amounts();
            }
        }
        return MemoryTotals.NOTHING;
    }

    private static void add(
            List<TypeTotals> accounts, BufferType type, Optional<BufferLifetime> lifetime, MemoryTotals amounts) {
        if (!amounts.equals(MemoryTotals.NOTHING)) {
            accounts.add(new TypeTotals(type, lifetime, amounts));
        }
    }
}
