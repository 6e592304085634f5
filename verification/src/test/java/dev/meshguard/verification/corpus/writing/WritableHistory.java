package dev.meshguard.verification.corpus.writing;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The part of a history that a file of the runtime can hold: each generation of a buffer, allocated and freed once. */
final class WritableHistory {

    /** An address of a memory, at which one buffer lies at a time. */
    private record Place(int device, BufferType.Memory memory, long address) {

        private static Place of(BufferGeneration buffer) {
            return new Place(buffer.device(), buffer.type().memory(), buffer.address());
        }
    }

    /**
     * One call: it allocated buffers, or it freed some.
     *
     * @param buffers the buffers, in the order of their allocation
     */
    record Step(boolean isAllocation, MemoryRequest request, List<BufferGeneration> buffers) {

        /** Returns the owner for which the buffers were allocated, if there is one. */
        Optional<String> owner() {
            return isAllocation ? request.details().owner().map(Object::toString) : Optional.empty();
        }
    }

    private record Change(long event, boolean isAllocation, MemoryRequest request, BufferGeneration buffer) {

        private boolean isOfSameCallAs(Change other) {
            return isAllocation == other.isAllocation && request == other.request;
        }
    }

    private final List<Step> steps = new ArrayList<>();
    private boolean lacksReports;

    WritableHistory(AllocationHistory history) {
        lacksReports = !history.events(HistoryEvent.ReportsLost.class).isEmpty() || wentOnUntracked(history);
        List<Change> changes = new ArrayList<>();
        for (BufferGeneration buffer : history.generations()) {
            if (canBeWritten(buffer)) {
                changes.add(new Change(buffer.allocatedAt(), true, buffer.request(), buffer));
                buffer.freedAt()
                        .ifPresent(event -> changes.add(new Change(event, false, releaseAt(event, buffer), buffer)));
            }
        }
        changes.sort(Comparator.comparingLong(Change::event));
        addSteps(changes);
    }

    List<Step> steps() {
        return steps;
    }

    /** Returns the buffers that are written, in the order of their allocation. */
    List<BufferGeneration> buffers() {
        return steps.stream()
                .filter(Step::isAllocation)
                .flatMap(step -> step.buffers().stream())
                .toList();
    }

    /**
     * Returns whether nothing remains that the steps do not have: the history has all reports, and each buffer that is not
     * written was freed. Otherwise a reader of the file must learn that it is not complete.
     */
    boolean isWhole() {
        return !lacksReports;
    }

    /** Every file of the runtime ends before its program does, so an end of tracking alone is no gap. */
    private static boolean wentOnUntracked(AllocationHistory history) {
        return history.events().stream()
                .dropWhile(event -> !(event instanceof HistoryEvent.TrackingStopped))
                .anyMatch(event -> event instanceof HistoryEvent.TrackingStarted
                        || event instanceof HistoryEvent.Allocated
                        || event instanceof HistoryEvent.Freed);
    }

    private static MemoryRequest releaseAt(long event, BufferGeneration buffer) {
        return buffer.reports().stream()
                .filter(report -> report.freedAt().orElseThrow() == event)
                .findFirst()
                .flatMap(BufferGeneration.Report::release)
                .orElseThrow();
    }

    private boolean canBeWritten(BufferGeneration buffer) {
        boolean isView = buffer.reports().stream()
                .allMatch(report -> report.request().details().view());
        if (buffer.kind() != BufferKind.BUFFER || isView) {
            return false;
        }
        // In a capture the address 0 means that there is none.
        boolean hasAddress = buffer.address() > 0 && buffer.size() >= 0 && buffer.device() >= 0;
        lacksReports |= !hasAddress && buffer.isLive();
        return hasAddress;
    }

    /** Joins the changes of one call. */
    private void addSteps(List<Change> changes) {
        Map<Place, BufferGeneration> live = new HashMap<>();
        List<Change> step = new ArrayList<>();
        for (Change change : changes) {
            if (takesPlace(change, live)) {
                if (!step.isEmpty() && !change.isOfSameCallAs(step.get(0))) {
                    addStep(step);
                    step.clear();
                }
                step.add(change);
            }
        }
        if (!step.isEmpty()) {
            addStep(step);
        }
    }

    /** Returns whether a change is written: a file knows no allocators, so it has one buffer at an address. */
    private boolean takesPlace(Change change, Map<Place, BufferGeneration> live) {
        Place place = Place.of(change.buffer);
        if (!change.isAllocation) {
            return live.remove(place, change.buffer);
        }
        boolean isFree = live.putIfAbsent(place, change.buffer) == null;
        lacksReports |= !isFree && change.buffer.isLive();
        return isFree;
    }

    private void addStep(List<Change> changes) {
        steps.add(new Step(
                changes.get(0).isAllocation,
                changes.get(0).request,
                changes.stream()
                        .map(Change::buffer)
                        .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                        .toList()));
    }
}
