package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocationDetails;
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
import dev.meshguard.verdict.internal.survivor.HistoryIndex;
import dev.meshguard.verdict.internal.survivor.MemoryAddress;
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

    /**
     * Returns the unreported memory of each snapshot. The part of a context lacks the reports of others, and after the reset
     * nothing is known.
     */
    static List<UnreportedMemory> in(HistoryIndex index) {
        AllocationHistory history = index.history();
        List<UnreportedMemory> all = new ArrayList<>();
        for (HistoryEvent.Witnessed event :
                history.context().isPresent() ? List.<HistoryEvent.Witnessed>of() : history.witnessSnapshots()) {
            if (event.snapshot().moment() != Moment.AFTER_WIPE
                    && !event.snapshot().isEmpty()) {
                all.add(new Search(history, index).in(event));
            }
        }
        return all;
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
                Optional<HistoryEvent.Witnessed> beforeWipe = snapshots(Moment.BEFORE_WIPE, place, event)
                        .filter(later -> later.number() > event.number())
                        .findFirst();
                boolean gone = beforeWipe
                        .filter(later -> addressState(place, later) == AddressState.FREE)
                        .isPresent();
                long lastHeld = gone ? event.number() : beforeWipe.orElse(event).number();
                // A free that found nothing is an anomaly of its own.
                if (!isFoundWhenCloseBegan(place, event) && !isFreedAfter(lastHeld, place, event)) {
                    (gone ? freed : held).add(place);
                }
            }
            return new UnreportedMemory(event, held, freed);
        }

        /** A snapshot before the reset repeats what the same allocator held when the close began. */
        private boolean isFoundWhenCloseBegan(MemoryAddress place, HistoryEvent.Witnessed event) {
            return event.snapshot().moment() == Moment.BEFORE_WIPE
                    && snapshots(Moment.CLOSE_BEGUN, place, event)
                            .anyMatch(earlier -> addressState(place, earlier) == AddressState.ALLOCATED);
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
            List<BufferGeneration> generations = index.generationsAt(place);
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
        private boolean wasHeldByItsDevice(BufferGeneration buffer, HistoryEvent.Witnessed event) {
            return buffer.openPeriod() == history.openPeriodAt(buffer.device(), event.number())
                    && buffer.reports().stream()
                            .anyMatch(report -> report.ownership() == Ownership.OWNING
                                    && report.details().kind() == BufferKind.BUFFER
                                    && report.wasOpenAt(event.number()));
        }

        private boolean isFreedAfter(long held, MemoryAddress place, HistoryEvent.Witnessed event) {
            return index.strayFreesAt(place).stream()
                    .filter(stray -> stray.kind() == Anomaly.Kind.UNKNOWN_FREE
                            && stray.event().number() > held)
                    .anyMatch(stray -> mayBeOf(event, stray.device(), (HistoryEvent.Freed) stray.event()));
        }

        /** A free that names another mesh, or one after the mesh or the device was opened again, is about other memory. */
        private boolean mayBeOf(HistoryEvent.Witnessed event, int device, HistoryEvent.Freed free) {
            WitnessSnapshot snapshot = event.snapshot();
            AllocationDetails freed = free.details();
            int mesh = freed.mesh().orElse(snapshot.mesh());
            return AllocatorId.mayBeOne(freed.allocator(), snapshot.allocator())
                    && (mesh == snapshot.mesh() || snapshot.allocator().isEmpty())
                    && isOfOneOpenPeriod(mesh, device, event.number(), free.number());
        }

        /** Returns the snapshots of one moment of the same close that cover an address. */
        private Stream<HistoryEvent.Witnessed> snapshots(
                Moment moment, MemoryAddress place, HistoryEvent.Witnessed of) {
            int mesh = of.snapshot().mesh();
            return history.witnessSnapshots().stream()
                    .filter(other -> other.snapshot().moment() == moment
                            && other.snapshot().mesh() == mesh
                            && other.snapshot().allocator().equals(of.snapshot().allocator())
                            && addressState(place, other) != AddressState.UNKNOWN)
                    .filter(other -> isOfOneOpenPeriod(
                            mesh,
                            place.device(),
                            Math.min(of.number(), other.number()),
                            Math.max(of.number(), other.number())));
        }

        private boolean isOfOneOpenPeriod(int mesh, int device, long earlier, long later) {
            return history.openPeriodAt(device, earlier) == history.openPeriodAt(device, later)
                    && history.events(HistoryEvent.MeshOpened.class).stream()
                            .noneMatch(opened ->
                                    opened.mesh().id() == mesh && earlier < opened.number() && opened.number() < later);
        }

        private static AddressState addressState(MemoryAddress place, HistoryEvent.Witnessed event) {
            return event.snapshot().stateOf(place.device(), place.type(), place.address());
        }
    }
}
