package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.MemoryTotals;
import dev.meshguard.history.internal.LiveEntries.Entry;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The memory that is allocated according to the reports, device by device. Not safe for use by several threads. */
public final class Ledger {

    /** Receives the requests of entries. */
    public interface EntryListener {

        /** An entry was added. */
        default void entered(MemoryRequest request) {}

        /** An entry was removed. */
        default void removed(MemoryRequest request) {}
    }

    /** The ways in which a further report of a live entry counts. */
    public enum RepeatCounting {
        /** The entry has one report more, and stays until all are freed. */
        COUNTED,
        /** The entry has the new size, which is added to the old one, and goes with the first free. */
        ADDED,
        /** The entry goes with the first free. */
        IGNORED
    }

    private final TreeMap<Integer, Device> devices = new TreeMap<>();
    private final RepeatCounting repeatCounting;
    private final EntryListener listener;
    private @Nullable Device latest;
    private int latestDevice;

    /** The live entries of one device, and their sums. */
    private static final class Device {
        private final LiveEntries entries = new LiveEntries();
        private final Totals totals = new Totals();
    }

    /** Creates an empty ledger. */
    public Ledger(RepeatCounting repeatCounting) {
        this(repeatCounting, new EntryListener() {});
    }

    /** Creates an empty ledger whose entries with a known request are reported to a listener. */
    public Ledger(RepeatCounting repeatCounting, EntryListener listener) {
        this.repeatCounting = repeatCounting;
        this.listener = listener;
    }

    /**
     * Enters an event, if it is a report or closes a mesh or device: remaining entries of a closed allocator match any allocator.
     */
    public void enter(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated report) {
            allocated(report.request(), report.device(), report.type(), report.address(), report.size());
        } else if (event instanceof HistoryEvent.Freed report) {
            freed(report.request(), report.device(), report.type(), report.address());
        } else if (event instanceof HistoryEvent.FreeIgnored report) {
            freeIgnored(report.device());
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            devices.values().forEach(known -> known.entries.meshClosed(closed.mesh()));
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            Device known = devices.get(closed.device());
            if (known != null) {
                known.entries.deviceClosed();
            }
        }
    }

    /**
     * Enters an allocation; the request is null if nothing is known of it.
     *
     * @return whether nothing was live at its address, in any allocator, or only memory without an address was resized
     */
    public boolean allocated(@Nullable MemoryRequest request, int device, BufferType type, long address, long size) {
        Device known = reported(device);
        LiveEntries entries = known.entries;
        AllocationDetails details = LiveEntries.detailsOf(request);
        Entry entry = entries.find(type, address, details);
        if (entry == null) {
            boolean isOverAnother = entries.isHeldByAnother(type, address, details);
            entries.add(type, address, size, request);
            known.totals.allocated(type, size);
            if (request != null) {
                listener.entered(request);
            }
            return !isOverAnother;
        }
        if (device == HistoryEvent.NO_DEVICE) {
            known.totals.resized(type, size - entry.size);
            entry.size = size;
            return true;
        }
        entry.repeat(details);
        if (repeatCounting == RepeatCounting.COUNTED) {
            entry.reports++;
            known.totals.repeated(type, 1);
        } else if (repeatCounting == RepeatCounting.ADDED) {
            entry.size = size;
            known.totals.resized(type, size);
            known.totals.repeated(type, 1);
        }
        return false;
    }

    /**
     * Enters a free; the request is null if nothing is known of it.
     *
     * @return whether there was an entry to free
     */
    public boolean freed(@Nullable MemoryRequest release, int device, BufferType type, long address) {
        Device known = reported(device);
        Entry entry = known.entries.findFreed(type, address, LiveEntries.detailsOf(release));
        if (entry == null) {
            return false;
        }
        if (entry.reports > 1) {
            entry.reports--;
            known.totals.repeated(type, -1);
            return true;
        }
        known.totals.freed(type, entry.size);
        if (entry.request != null) {
            listener.removed(entry.request);
        }
        known.entries.remove(entry);
        return true;
    }

    /** Returns the entry that a report is about, if it is live. */
    public @Nullable Entry entry(@Nullable MemoryRequest request, int device, BufferType type, long address) {
        Device known = reported(device);
        return known.entries.find(type, address, LiveEntries.detailsOf(request));
    }

    /** Returns the live entries of one device, in no particular order. */
    public List<Entry> entriesOf(int device) {
        Device known = devices.get(device);
        return known == null ? List.of() : known.entries.all();
    }

    /** Enters a free that the runtime ignored: its device is known from now on, and nothing else changes. */
    public void freeIgnored(int device) {
        reported(device);
    }

    /** Returns the devices with any report, ascending. */
    public List<Integer> devices() {
        return List.copyOf(devices.keySet());
    }

    /** Returns the sums of one type on one device. */
    public MemoryTotals totals(int device, BufferType type) {
        Device known = devices.get(device);
        return known == null ? MemoryTotals.NOTHING : known.totals.of(type);
    }

    /** Returns the number of live entries on one device. */
    public int entries(int device) {
        Device known = devices.get(device);
        return known == null ? 0 : known.entries.count();
    }

    /** Returns the number of open reports of an address, if they do not name its allocator. */
    public int openReports(int device, BufferType type, long address) {
        Device known = devices.get(device);
        Entry entry = known == null ? null : known.entries.find(type, address, AllocationDetails.user());
        return entry == null ? 0 : entry.reports;
    }

    /** Returns the number of live entries on all devices. */
    public long entries() {
        long entries = 0;
        for (Device known : devices.values()) {
            entries += known.entries.count();
        }
        return entries;
    }

    /** Returns a device that is reported. Nearly every report is about the same device as the one before it. */
    private Device reported(int device) {
        Device known = latest;
        if (known == null || latestDevice != device) {
            known = devices.computeIfAbsent(device, unused -> new Device());
            latest = known;
            latestDevice = device;
        }
        return known;
    }
}
