package dev.meshguard.tracker;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.internal.Journal;
import dev.meshguard.history.internal.Journal.Kind;
import dev.meshguard.history.internal.Ledger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The journal and the ledger of a tracker, behind one lock: every report is entered in both. */
final class ReportRecorder {

    private final SpinLock lock = new SpinLock();
    private final Journal journal = new Journal();
    private final Ledger ledger;

    /** The last ticket. Each request and each mark takes the next one, and the journal orders reports by it. */
    private final AtomicLong ticket = new AtomicLong(1);

    /** The requests that were taken back, by the numbers of their leases. Guarded by the lock. */
    private final Map<Long, MemoryRequest> withdrawn = new HashMap<>(0);

    /** Why a report could not be recorded, until it is an event. It is written without a call: the stack may have no room for one. */
    volatile @Nullable VirtualMachineError lost;

    ReportRecorder(StackKeeper stacks) {
        this.ledger = new Ledger(CountingPolicy.REFERENCE_COUNTED, stacks);
    }

    /** Returns the ticket of a new request. */
    long nextTicket() {
        return ticket.incrementAndGet();
    }

    /**
     * Records a report.
     *
     * @param size the size; 0 if it frees memory
     * @param detail of the type that its kind demands
     * @return whether an allocation fits what is live, or there was anything to free
     */
    boolean report(
            Kind kind, MemoryRequest request, int device, BufferType type, long address, long size, Enum<?> detail) {
        try (SpinLock held = lock.acquire()) {
            MemoryRequest known = orNull(request);
            journal.report(kind, ticketOf(request), known, device, type, address, size, detail);
            return switch (kind) {
                case ALLOCATED -> ledger.allocated(known, device, type, address, size);
                case FREED -> ledger.freed(known, device, type, address);
                case FREE_IGNORED, MARK -> ledger.freeIgnored(device);
            };
        } catch (VirtualMachineError failure) {
            lost = failure;
            throw failure;
        }
    }

    /** Takes a lease back, freed or not: it stays in the journal, and in no history. */
    void withdrawn(MemoryRequest request, BufferType type, long lease) {
        update(() -> {
            withdrawn.put(lease, request);
            ledger.freed(orNull(request), HistoryEvent.NO_DEVICE, type, lease);
        });
    }

    /** Withdraws the latest lease that has this handle, if there is one. Other threads can report during the search. */
    void withdrawLeaseOf(Object handle) {
        List<HistoryEvent> arrived;
        try (SpinLock held = lock.acquire()) {
            arrived = journal.arrived();
        }
        for (int i = arrived.size() - 1; i >= 0; i--) {
            if (arrived.get(i) instanceof HistoryEvent.Allocated lease
                    && lease.request()
                            .handle()
                            .filter(known -> known.refersTo(handle))
                            .isPresent()) {
                withdrawn(lease.request(), lease.type(), lease.address());
                return;
            }
        }
    }

    private static AllocationHistory without(Map<Long, MemoryRequest> leases, AllocationHistory all) {
        Set<MemoryRequest> requests = Set.copyOf(leases.values());
        return all.without(event -> event instanceof HistoryEvent.OfMemory report
                ? report.device() == HistoryEvent.NO_DEVICE && leases.containsKey(report.address())
                : HistoryEvent.requestOf(event).filter(requests::contains).isPresent());
    }

    /** Records an event without an address. */
    void mark(LongFunction<HistoryEvent> event) {
        update(() -> {
            HistoryEvent mark = event.apply(journal.size() + 1L);
            journal.mark(ticket.incrementAndGet(), mark);
            ledger.enter(mark);
        });
    }

    /** Returns the number of recorded events. */
    int size() {
        try (SpinLock held = lock.acquire()) {
            return journal.size();
        }
    }

    /** Changes requests or records while nothing else is recorded. */
    void update(Runnable change) {
        try (SpinLock held = lock.acquire()) {
            change.run();
        } catch (VirtualMachineError failure) {
            lost = failure;
            throw failure;
        }
    }

    /** Returns the answer of the ledger to a question. */
    <T> T read(Function<Ledger, T> question) {
        try (SpinLock held = lock.acquire()) {
            return question.apply(ledger);
        }
    }

    /** Returns the events so far, and the number of entries; later reports do not change them. */
    AllocationHistory history(boolean flatAddresses) {
        recordLoss();
        AllocationHistory all;
        Map<Long, MemoryRequest> left;
        try (SpinLock held = lock.acquire()) {
            all = AllocationHistory.of(journal.events(), OptionalLong.of(ledger.entries()), flatAddresses);
            left = new HashMap<>(withdrawn); // An immutable map looks for absent numbers one by one.
        }
        return left.isEmpty() ? all : without(left, all);
    }

    private void recordLoss() {
        VirtualMachineError failure = lost;
        if (failure != null) {
            Origin where = OriginFilter.none().originOf(failure);
            mark(number ->
                    new HistoryEvent.ReportsLost(number, -1, "a report failed with " + failure + " in " + where));
            lost = null;
        }
    }

    /** Each report of a request that a tracker did not number takes the next ticket, so that these are ordered as they arrive. */
    private long ticketOf(MemoryRequest request) {
        return request instanceof TrackedRequest tracked ? tracked.ticket() : nextTicket();
    }

    /** Returns null for a request without details, for which the journal stores nothing. */
    private static @Nullable MemoryRequest orNull(MemoryRequest request) {
        return request.isAnonymous() ? null : request;
    }
}
