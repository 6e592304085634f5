package dev.meshguard.capture.internal;

import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.EventNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The events of a recording, numbered from 1 in the order in which they are added. */
final class EventList {

    /** The request of every free, of which an output contains nothing but the address. */
    private static final MemoryRequest RELEASE = MemoryRequest.of(AllocationDetails.user());

    private final List<HistoryEvent> events = new ArrayList<>();

    /** Returns the number that the next event has. */
    long nextNumber() {
        return events.size() + 1L;
    }

    int size() {
        return events.size();
    }

    /** Adds an allocation by a request of its own. */
    void allocated(Memory memory, long size, AllocationDetails details, Optional<Origin> origin) {
        events.add(new Allocated(
                nextNumber(),
                MemoryRequest.restored(details, origin),
                memory.device(),
                memory.type(),
                memory.address(),
                size,
                Ownership.OWNING));
    }

    void freed(Memory memory) {
        events.add(new HistoryEvent.Freed(
                nextNumber(), RELEASE, memory.device(), memory.type(), memory.address(), Ownership.OWNING));
    }

    /** Adds an event under {@link #nextNumber()}. */
    void add(HistoryEvent event) {
        events.add(event.number() == nextNumber() ? event : EventNumbers.numbered(event, nextNumber()));
    }

    /** Adds events of another list. */
    void addAll(EventList source, int from, int end) {
        source.events.subList(from, end).forEach(this::add);
    }

    /** Sets the origin of an allocation that was added without one, for a reader that learns it only later. */
    void setOrigin(long number, Origin origin) {
        Allocated known = allocation(number);
        events.set(
                (int) number - 1,
                new Allocated(
                        number,
                        MemoryRequest.restored(known.request().details(), Optional.of(origin)),
                        known.device(),
                        known.type(),
                        known.address(),
                        known.size(),
                        known.ownership()));
    }

    /** Returns the origin of an allocation. */
    Optional<Origin> originOf(long number) {
        return allocation(number).request().origin();
    }

    /** Returns the history of the events so far. */
    AllocationHistory history() {
        return AllocationHistory.read(events);
    }

    private Allocated allocation(long number) {
        return (Allocated) events.get((int) number - 1);
    }
}
