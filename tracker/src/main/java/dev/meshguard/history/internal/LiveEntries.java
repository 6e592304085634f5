package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The entries that are live on one device, by type, address and allocator, and their sums. Guarded by the owner's lock. */
public final class LiveEntries {

    private static final int MAX_UNUSED = 1_024;

    private final AddressTable<Entry> table = new AddressTable<>();

    /** Some removed entries. They are used again, so that a pair of reports creates no object. */
    private final Deque<Entry> unused = new ArrayDeque<>(1);

    /** By type, for each of which there ever was memory. */
    final Map<BufferType, Ledger.Sum> sums = new EnumMap<>(BufferType.class);

    /** One live entry. */
    public static final class Entry extends AddressTable.Entry<Entry> {

        // The allocator that reserved the memory, as far as the reports name it.
        private OptionalInt mesh = OptionalInt.empty();
        private Optional<AllocatorId> allocator = Optional.empty();

        /** That of the first report, in bytes. */
        long size;

        /** How many reports are open. */
        int reports;

        /** Whether it ever had several reports: then it is unknown which of them are open. */
        private boolean isRepeated;

        /** That of the first report; null if nothing is known of it. */
        @Nullable
        MemoryRequest request;

        private Entry(BufferType type, long address) {
            super(type, address);
        }

        /** Returns who frees it, as the first report says. */
        public BufferLifetime lifetime() {
            return details().lifetime();
        }

        /** Returns the size of the first report, in bytes. */
        public long size() {
            return size;
        }

        private AllocationDetails details() {
            return detailsOf(request);
        }

        private boolean isOfAllocatorOf(AllocationDetails reported) {
            return mesh.equals(reported.mesh())
                    && allocator.equals(reported.allocator())
                    && details().kind() == reported.kind();
        }

        /** Returns whether a report may be about this memory, as far as both name its allocator. */
        private boolean mayBeOf(AllocationDetails reported) {
            return details().mayBeInAllocatorOf(reported, allocator)
                    && (mesh.isEmpty() || reported.mesh().isEmpty() || mesh.equals(reported.mesh()));
        }

        /** Where several reports share an address, a release matches by allocator and address alone. */
        private boolean mayBeFreedBy(AllocationDetails release) {
            boolean isEndOfView = release.view() && !details().view();
            return mayBeOf(release) && (isRepeated || (details().mayBeFreedBy(release) && !isEndOfView));
        }

        /** Returns whether its memory may overlap that of a report of another allocator. */
        private boolean mayOverlap(AllocationDetails reported) {
            boolean isInAllocators = details().kind() == BufferKind.BUFFER && reported.kind() == BufferKind.BUFFER;
            return isInAllocators
                    && !(mesh.equals(reported.mesh()) && AllocatorId.areDistinct(allocator, reported.allocator()));
        }

        /** Adds a report, which may name more of the allocator. */
        void repeat(AllocationDetails reported) {
            isRepeated = true;
            if (details().kind() == BufferKind.BUFFER) {
                allocator = allocator.or(reported::allocator);
                boolean isOfDevice =
                        allocator.filter(AllocatorId.DEVICE::equals).isPresent();
                mesh = isOfDevice ? OptionalInt.empty() : mesh.isPresent() ? mesh : reported.mesh();
            }
        }
    }

    /** Returns the details of a request; null if nothing is known of it. */
    static AllocationDetails detailsOf(@Nullable MemoryRequest request) {
        return request == null ? AllocationDetails.user() : request.details();
    }

    int count() {
        return table.count();
    }

    Ledger.Sum sum(BufferType type) {
        return sums.computeIfAbsent(type, newType -> new Ledger.Sum());
    }

    /** Returns the live entry that a report is about: one of its allocator, else the oldest that may be, or null. */
    @Nullable
    Entry find(BufferType type, long address, AllocationDetails reported) {
        return find(type, address, reported, Entry::mayBeOf);
    }

    /** Returns the live entry that a release frees: one of its allocator, else the oldest that may be, or null. */
    @Nullable
    Entry findFreed(BufferType type, long address, AllocationDetails release) {
        return find(type, address, release, Entry::mayBeFreedBy);
    }

    private @Nullable Entry find(
            BufferType type, long address, AllocationDetails reported, BiPredicate<Entry, AllocationDetails> fits) {
        Entry found = null;
        for (Entry entry = table.find(type, address); entry != null; entry = table.next(entry)) {
            if (fits.test(entry, reported)) {
                if (entry.isOfAllocatorOf(reported)) {
                    return entry;
                }
                found = found == null ? entry : found;
            }
        }
        return found;
    }

    /** Returns the entries at this moment. */
    List<Entry> all() {
        List<Entry> all = new ArrayList<>(count());
        table.forEach(all::add);
        return all;
    }

    /** Returns whether another allocator has memory at an address that may be the same memory. */
    boolean isHeldByAnother(BufferType type, long address, AllocationDetails reported) {
        for (Entry entry = table.find(type, address); entry != null; entry = table.next(entry)) {
            if (entry.mayOverlap(reported)) {
                return true;
            }
        }
        return false;
    }

    /** Adds an entry with one report. */
    void add(BufferType type, long address, long size, @Nullable MemoryRequest request) {
        Entry entry = unused.isEmpty() ? new Entry(type, address) : unused.pop();
        entry.moveTo(type, address);
        AllocationDetails details = detailsOf(request);
        entry.mesh = details.mesh();
        entry.allocator = details.allocator();
        entry.size = size;
        entry.reports = 1;
        entry.isRepeated = false;
        entry.request = request;
        table.add(entry);
        sum(type).add(1, size);
    }

    void remove(Entry entry) {
        table.remove(entry);
        sum(entry.type()).add(-1, -entry.size);
        entry.request = null;
        if (unused.size() < MAX_UNUSED) {
            unused.push(entry);
        }
    }

    /** Ends the allocators of a mesh: their remaining entries match by address alone. */
    void meshClosed(int mesh) {
        forgetAllocators(entry -> entry.mesh.isPresent() && entry.mesh.getAsInt() == mesh);
    }

    /** Ends the allocator of the device itself. */
    void deviceClosed() {
        forgetAllocators(
                entry -> entry.allocator.filter(AllocatorId.DEVICE::equals).isPresent());
    }

    private void forgetAllocators(Predicate<Entry> isClosed) {
        table.forEach(entry -> {
            if (isClosed.test(entry)) {
                entry.mesh = OptionalInt.empty();
                entry.allocator = Optional.empty();
            }
        });
    }
}
