package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.internal.LiveEntries.Entry;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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

    private final TreeMap<Integer, LiveEntries> devices = new TreeMap<>();
    private final CountingPolicy policy;
    private final EntryListener listener;
    private @Nullable LiveEntries latest;
    private int latestDevice;

    /** The live memory of one type on one device, added up as reports arrive. */
    public static final class Sum {
        private long bytes;
        private long reports;
        private long peakBytes;

        void add(long moreReports, long moreBytes) {
            reports += moreReports;
            bytes += moreBytes;
            peakBytes = Math.max(peakBytes, bytes);
        }

        /** Returns the live bytes. */
        public long bytes() {
            return bytes;
        }

        /** Returns the counted allocations minus the counted frees. */
        public long reports() {
            return reports;
        }

        /** Returns the most bytes that were live at once. */
        public long peakBytes() {
            return peakBytes;
        }
    }

    /** Creates an empty ledger. */
    public Ledger(CountingPolicy policy) {
        this(policy, new EntryListener() {});
    }

    /** Creates an empty ledger whose entries with a known request are reported to a listener. */
    public Ledger(CountingPolicy policy, EntryListener listener) {
        this.policy = policy;
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
            devices.values().forEach(known -> known.meshClosed(closed.mesh()));
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            LiveEntries known = devices.get(closed.device());
            if (known != null) {
                known.deviceClosed();
            }
        }
    }

    /**
     * Enters an allocation; the request is null if nothing is known of it.
     *
     * @return whether nothing was live at its address, in any allocator, or only memory without an address was resized
     */
    public boolean allocated(@Nullable MemoryRequest request, int device, BufferType type, long address, long size) {
        LiveEntries known = reported(device);
        AllocationDetails details = LiveEntries.detailsOf(request);
        Entry entry = known.find(type, address, details);
        if (entry == null) {
            boolean isOverAnother = known.isHeldByAnother(type, address, details);
            known.add(type, address, size, request);
            if (request != null) {
                listener.entered(request);
            }
            return !isOverAnother;
        }
        if (device == HistoryEvent.NO_DEVICE) {
            known.sum(type).add(0, size - entry.size);
            entry.size = size;
            return true;
        }
        entry.repeat(details);
        if (policy == CountingPolicy.EVERY_REPORT) {
            entry.size = size;
            known.sum(type).add(1, size);
        } else if (policy != CountingPolicy.ONCE_PER_ADDRESS) {
            entry.reports++;
            known.sum(type).add(1, 0);
        }
        return false;
    }

    /**
     * Enters a free; the request is null if nothing is known of it.
     *
     * @return whether there was an entry to free
     */
    public boolean freed(@Nullable MemoryRequest release, int device, BufferType type, long address) {
        LiveEntries known = reported(device);
        Entry entry = known.findFreed(type, address, LiveEntries.detailsOf(release));
        if (entry == null) {
            return false;
        }
        if (entry.reports > 1) {
            entry.reports--;
            known.sum(type).add(-1, 0);
            return true;
        }
        if (entry.request != null) {
            listener.removed(entry.request);
        }
        known.remove(entry);
        return true;
    }

    /** Returns the live entries of one device, in no particular order. */
    public List<Entry> entriesOf(int device) {
        LiveEntries known = devices.get(device);
        return known == null ? List.of() : known.all();
    }

    /**
     * Enters a free that the runtime ignored: its device is known from now on, and nothing else changes.
     *
     * @return false, because it freed no entry
     */
    public boolean freeIgnored(int device) {
        reported(device);
        return false;
    }

    /** Returns the devices with any report, ascending. */
    public List<Integer> devices() {
        return List.copyOf(devices.keySet());
    }

    /** Returns the sums of one device, by type, for each of which it ever had memory. */
    public Map<BufferType, Sum> sums(int device) {
        LiveEntries known = devices.get(device);
        return known == null ? Map.of() : Collections.unmodifiableMap(known.sums);
    }

    /** Returns the sums of one type on one device. */
    public Sum sum(int device, BufferType type) {
        return sums(device).getOrDefault(type, new Sum());
    }

    /** Returns the number of live entries on one device. */
    public int entries(int device) {
        LiveEntries known = devices.get(device);
        return known == null ? 0 : known.count();
    }

    /** Returns the number of open reports of an address, if they do not name its allocator. */
    public int openReports(int device, BufferType type, long address) {
        LiveEntries known = devices.get(device);
        Entry entry = known == null ? null : known.find(type, address, AllocationDetails.user());
        return entry == null ? 0 : entry.reports;
    }

    /** Returns the number of live entries on all devices. */
    public long entries() {
        long entries = 0;
        for (LiveEntries known : devices.values()) {
            entries += known.count();
        }
        return entries;
    }

    /** Returns a device that is reported. Nearly every report is about the same device as the one before it. */
    private LiveEntries reported(int device) {
        LiveEntries known = latest;
        if (known == null || latestDevice != device) {
            known = devices.computeIfAbsent(device, unused -> new LiveEntries());
            latest = known;
            latestDevice = device;
        }
        return known;
    }
}
