package dev.meshguard.capture.internal;

import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The events of a recording, numbered from 1 in the order in which they are added.
 *
 * <p>Each event is created from its number when the history is taken, so lists share events that have another number in each.
 */
final class EventList {

    /** The request of every free, of which an output contains nothing but the address. */
    private static final MemoryRequest RELEASE = MemoryRequest.of(AllocationDetails.user());

    private final List<LongFunction<HistoryEvent>> events = new ArrayList<>();

    /** Returns the number that the next event has. */
    long nextNumber() {
        return events.size() + 1L;
    }

    int size() {
        return events.size();
    }

    /** Adds an allocation by a request of its own. */
    void allocated(Memory memory, long size, AllocationDetails details, Optional<Origin> origin) {
        add(allocation(
                memory.device(), memory.type(), memory.address(), size, MemoryRequest.restored(details, origin)));
    }

    void freed(Memory memory) {
        add(number -> new HistoryEvent.Freed(
                number, RELEASE, memory.device(), memory.type(), memory.address(), Ownership.OWNING));
    }

    /** Adds an event, which is created from its number. */
    void add(LongFunction<HistoryEvent> event) {
        events.add(event);
    }

    /** Adds events of another list. */
    void addAll(EventList source, int from, int end) {
        events.addAll(source.events.subList(from, end));
    }

    /** Sets the origin of an allocation that was added without one, for a reader that learns it only later. */
    void setOrigin(long number, Origin origin) {
        Allocated known = allocation(number);
        MemoryRequest request = MemoryRequest.restored(known.request().details(), Optional.of(origin));
        events.set((int) number - 1, allocation(known.device(), known.type(), known.address(), known.size(), request));
    }

    /** Returns the origin of an allocation. */
    Optional<Origin> originOf(long number) {
        return allocation(number).request().origin();
    }

    /** Returns the history of the events so far. */
    AllocationHistory history() {
        List<HistoryEvent> numbered = new ArrayList<>(events.size());
        events.forEach(event -> numbered.add(event.apply(numbered.size() + 1L)));
        return AllocationHistory.read(numbered);
    }

    private static LongFunction<HistoryEvent> allocation(
            int device, BufferType type, long address, long size, MemoryRequest request) {
        return number -> new Allocated(number, request, device, type, address, size, Ownership.OWNING);
    }

    private Allocated allocation(long number) {
        return (Allocated) events.get((int) number - 1).apply(number);
    }
}
