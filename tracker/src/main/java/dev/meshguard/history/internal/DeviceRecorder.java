package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.internal.Journal.View;
import org.jspecify.annotations.Nullable;

/**
 * The recorded data of one device: live entries, events and sums.
 *
 * <p>There is one lock per device, because two threads on different devices must not wait for each other.
 */
public final class DeviceRecorder extends DeviceLock {

    /** The effect of a report on the ledger. */
    public enum Effect {
        /** A new entry. */
        ENTERED,
        /** A new entry, over memory that another allocator holds in the ledger. */
        ENTERED_OVER_ANOTHER,
        /** One more report of a live entry, with the same size. */
        REPEATED,
        /** One more report of a live entry, with another size; the first stays. */
        REPEATED_WITH_OTHER_SIZE,
        /** The memory of an entry without an address has another size. */
        RESIZED,
        /** One report fewer; the entry is still live. */
        RELEASED,
        /** The entry was removed. */
        REMOVED,
        /** There was no entry to free. */
        NOTHING_TO_FREE
    }

    /** Decides how long the stack of a request is kept. */
    public interface StackKeeper {

        /** Called when an entry of the request became live. */
        void entered(MemoryRequest request);

        /** Called when an entry of the request was removed. */
        void removed(MemoryRequest request);
    }

    private final int device;
    private final @Nullable Journal journal;
    private final AllocatorNumbers allocators = new AllocatorNumbers();
    private final Ledger ledger;
    private final Totals totals = new Totals();
    private final StackKeeper stacks;

    /**
     * Creates an empty recorder.
     *
     * @param withJournal whether events are recorded. Without them it counts the sums of events that a history already
     *     has, see {@link dev.meshguard.history.DeviceSums#countedFrom}
     */
    public DeviceRecorder(int device, boolean withJournal, StackKeeper stacks) {
        this.device = device;
        this.stacks = stacks;
        this.journal = withJournal ? new Journal() : null;
        this.ledger = new Ledger(allocators);
    }

    /** Enters an allocation. */
    public Effect allocated(
            long ticket,
            @Nullable MemoryRequest request,
            BufferType type,
            long address,
            long size,
            Ownership ownership) {
        lock();
        try {
            if (journal != null) {
                journal.append(Journal.Kind.ALLOCATED, ticket, type, ownership.ordinal(), address, size, request);
            }
            int allocator = allocators.ofAllocation(request);
            int slot = ledger.find(type, address, allocator);
            if (slot < 0) {
                BufferLifetime lifetime = request == null
                        ? BufferLifetime.USER
                        : request.details().lifetime();
                boolean isOverAnother = allocators.areSeveral() && ledger.isHeldByAnother(type, address, allocator);
                ledger.insert(~slot, type, lifetime, address, allocator, size, request);
                totals.allocated(type, lifetime, size);
                if (request != null) {
                    stacks.entered(request);
                }
                return isOverAnother ? Effect.ENTERED_OVER_ANOTHER : Effect.ENTERED;
            }
            if (device == HistoryEvent.NO_DEVICE) {
                totals.resized(type, ledger.lifetime(slot), size - ledger.size(slot));
                ledger.setSize(slot, size);
                return Effect.RESIZED;
            }
            return repeated(slot, allocator, type, size);
        } finally {
            unlock();
        }
    }

    private Effect repeated(int slot, int allocator, BufferType type, long size) {
        ledger.repeat(slot, allocator);
        totals.reportedAgain(type, ledger.lifetime(slot));
        return ledger.size(slot) == size ? Effect.REPEATED : Effect.REPEATED_WITH_OTHER_SIZE;
    }

    /** Enters a free. */
    public Effect freed(
            long ticket, @Nullable MemoryRequest request, BufferType type, long address, Ownership ownership) {
        lock();
        try {
            if (journal != null) {
                journal.append(Journal.Kind.FREED, ticket, type, ownership.ordinal(), address, 0, request);
            }
            int slot = ledger.find(type, address, allocators.of(request));
            if (slot < 0) {
                return Effect.NOTHING_TO_FREE;
            }
            BufferLifetime lifetime = ledger.lifetime(slot);
            if (ledger.release(slot) > 0) {
                totals.oneReportLess(type, lifetime);
                return Effect.RELEASED;
            }
            totals.freed(type, lifetime, ledger.size(slot));
            MemoryRequest allocation = ledger.request(slot);
            ledger.remove(slot);
            if (allocation != null) {
                stacks.removed(allocation);
            }
            return Effect.REMOVED;
        } finally {
            unlock();
        }
    }

    /** Records a free that the runtime ignored; the ledger does not change. */
    public void freeIgnored(
            long ticket, MemoryRequest request, BufferType type, long address, IgnoredFreeReason reason) {
        lock();
        try {
            if (journal != null) {
                journal.append(Journal.Kind.FREE_IGNORED, ticket, type, reason.ordinal(), address, 0, request);
            }
        } finally {
            unlock();
        }
    }

    /** Records the close of a mesh: remaining entries of its allocator match by address alone from now on. */
    public void meshClosed(int mesh) {
        lock();
        try {
            allocators.meshClosed(mesh);
        } finally {
            unlock();
        }
    }

    /** Records the close of the device, as {@link #meshClosed} does. */
    public void deviceClosed() {
        lock();
        try {
            allocators.deviceClosed();
        } finally {
            unlock();
        }
    }

    /** Returns the sums of one type. */
    public MemoryTotals totals(BufferType type) {
        lock();
        try {
            return totals.of(type);
        } finally {
            unlock();
        }
    }

    /** Returns the sums of one type and lifetime. */
    public MemoryTotals totals(BufferType type, BufferLifetime lifetime) {
        lock();
        try {
            return totals.of(type, lifetime);
        } finally {
            unlock();
        }
    }

    /** Returns the number of live entries. */
    public int entries() {
        lock();
        try {
            return ledger.entries();
        } finally {
            unlock();
        }
    }

    /** Returns the recorded data so far; without a journal there are no events in it. */
    public Recording recording() {
        lock();
        try {
            return new Recording(
                    device, journal == null ? View.ofNothing() : journal.view(), ledger.entries(), totals.copy());
        } finally {
            unlock();
        }
    }

    static MemoryRequest orPlain(@Nullable MemoryRequest request) {
        return request == null ? MemoryRequest.of(AllocationDetails.user()) : request;
    }

    /** The recorded data of one device at one moment. */
    public record Recording(int device, View journal, int entries, Totals totals) {}
}
