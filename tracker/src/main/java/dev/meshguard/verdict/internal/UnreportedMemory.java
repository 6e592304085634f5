package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The memory that a witness lists as allocated and no report mentions: a report is missing, whatever the other findings
 * are.
 *
 * @param snapshot the snapshot
 * @param held the addresses of memory that may still be allocated
 * @param freed the addresses of memory that was freed before the reset of the allocators: only the ledger lacked it
 */
record UnreportedMemory(HistoryEvent.Witnessed snapshot, List<MemoryAddress> held, List<MemoryAddress> freed) {

    /** Returns the unreported memory of each snapshot. The part of a context lacks the reports of others. */
    static List<UnreportedMemory> in(AllocationHistory history, HistoryIndex index) {
        if (history.context().isPresent()) {
            return List.of();
        }
        Search search = new Search(history, index);
        return history.witnessSnapshots().stream()
                .filter(event -> event.snapshot().moment() == Moment.CLOSE_BEGUN
                        && !event.snapshot().isEmpty())
                .map(search::in)
                .toList();
    }

    /** Returns the memory that was freed as an anomaly for each address. */
    Stream<Anomaly> anomalies() {
        return freed.stream()
                .map(place -> new Anomaly(
                        Anomaly.Kind.NEVER_REPORTED,
                        snapshot,
                        place.device(),
                        place.type(),
                        place.address(),
                        Optional.empty()));
    }

    private record Search(AllocationHistory history, HistoryIndex index) {

        private UnreportedMemory in(HistoryEvent.Witnessed event) {
            List<MemoryAddress> held = new ArrayList<>();
            List<MemoryAddress> freed = new ArrayList<>();
            for (MemoryAddress place : unreported(event)) {
                Optional<HistoryEvent.Witnessed> beforeWipe = beforeWipe(place, event);
                boolean gone = beforeWipe
                        .filter(later -> addressState(place, later) == AddressState.FREE)
                        .isPresent();
                long lastHeld = gone ? event.number() : beforeWipe.orElse(event).number();
                // A free that found nothing is an anomaly of its own.
                if (!isFreedAfter(lastHeld, place, event.snapshot())) {
                    (gone ? freed : held).add(place);
                }
            }
            return new UnreportedMemory(event, held, freed);
        }

        private List<MemoryAddress> unreported(HistoryEvent.Witnessed event) {
            List<MemoryAddress> places = new ArrayList<>();
            for (int device : event.snapshot().devices()) {
                for (BufferType type : BufferType.values()) {
                    for (long address : event.snapshot().allocatedAddresses(device, type)) {
                        MemoryAddress place = new MemoryAddress(device, type, address);
                        if (!isReported(place, event)) {
                            places.add(place);
                        }
                    }
                }
            }
            return places;
        }

        private boolean isReported(MemoryAddress place, HistoryEvent.Witnessed event) {
            boolean joinsAllocators = event.snapshot().allocator().isEmpty();
            List<BufferGeneration> generations = index.generationsAt(place, event.number());
            // From the latest on, because the witness nearly always saw that one.
            for (int i = generations.size() - 1; i >= 0; i--) {
                BufferGeneration buffer = generations.get(i);
                if (history.explains(buffer, event) || (joinsAllocators && wasHeldByItsDevice(buffer, event))) {
                    return true;
                }
            }
            return false;
        }

        /**
         * The allocator of a device serves every mesh over it, so its memory is in every snapshot that joins allocators.
         */
        private static boolean wasHeldByItsDevice(BufferGeneration buffer, HistoryEvent.Witnessed event) {
            return buffer.reports().stream()
                    .anyMatch(report -> report.ownership() == Ownership.OWNING
                            && report.request().details().kind() == BufferKind.BUFFER
                            && report.allocatedAt() < event.number()
                            && report.freedAt().orElse(Long.MAX_VALUE) > event.number());
        }

        private boolean isFreedAfter(long event, MemoryAddress place, WitnessSnapshot snapshot) {
            return index.strayFreesAt(place).stream()
                    .anyMatch(stray -> stray.kind() == Anomaly.Kind.UNKNOWN_FREE
                            && stray.event().number() > event
                            && mayBeOf(snapshot, stray));
        }

        private static boolean mayBeOf(WitnessSnapshot snapshot, Anomaly stray) {
            return stray.event() instanceof HistoryEvent.Freed free
                    && AllocatorId.mayBeOne(free.request().details().allocator(), snapshot.allocator());
        }

        private Optional<HistoryEvent.Witnessed> beforeWipe(MemoryAddress place, HistoryEvent.Witnessed event) {
            return history.witnessSnapshots().stream()
                    .filter(later -> later.number() > event.number())
                    .filter(later -> later.snapshot().moment() == Moment.BEFORE_WIPE)
                    .filter(later -> later.snapshot().mesh() == event.snapshot().mesh())
                    .filter(later ->
                            later.snapshot().allocator().equals(event.snapshot().allocator()))
                    .filter(later -> addressState(place, later) != AddressState.UNKNOWN)
                    .findFirst();
        }

        private static AddressState addressState(MemoryAddress place, HistoryEvent.Witnessed event) {
            return event.snapshot().stateOf(place.device(), place.type(), place.address());
        }
    }
}
