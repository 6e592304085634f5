package dev.meshguard.verification.corpus.writing;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
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

/**
 * The part of a history that a file of the runtime can hold: each generation of a buffer, allocated and freed once, up to
 * the check.
 *
 * <p>What it cannot hold is counted.
 */
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
    private final HistoryLosses losses = new HistoryLosses();
    private boolean lacksLiveBuffer;

    private WritableHistory() {}

    /** Selects what a capture can hold, which has no call sites. */
    static WritableHistory forCapture(AllocationHistory history) {
        WritableHistory writable = of(history);
        writable.losses.add(HistoryFact.CALL_SITE, writable.callSites());
        return writable;
    }

    /** Selects what a database can hold. */
    static WritableHistory forDatabase(AllocationHistory history) {
        return of(history);
    }

    private static WritableHistory of(AllocationHistory history) {
        AllocationHistory checked = history.asOfCheck();
        WritableHistory writable = new WritableHistory();
        writable.losses.add(HistoryFact.REPORT_AFTER_CHECK, reports(history) - reports(checked));
        writable.addSteps(writable.changes(checked));
        writable.losses.addEvents(checked);
        return writable;
    }

    private long callSites() {
        return steps.stream()
                .filter(step -> step.isAllocation && step.request.hasOrigin())
                .mapToLong(step -> step.buffers.size())
                .sum();
    }

    private static long reports(AllocationHistory history) {
        return history.events().stream()
                .filter(event -> event instanceof HistoryEvent.Allocated || event instanceof HistoryEvent.Freed)
                .count();
    }

    List<Step> steps() {
        return steps;
    }

    /**
     * Returns whether nothing remains that the steps do not have: the history has all reports, and each buffer that is not
     * written was freed. Otherwise a reader of the file must learn that it is not complete.
     */
    boolean isWhole() {
        return !losses.has(HistoryFact.GAP) && !lacksLiveBuffer;
    }

    /** Returns the counts of the facts that are not written, by a noun for one such fact. */
    Map<String, Long> losses() {
        return losses.byText();
    }

    private List<Change> changes(AllocationHistory history) {
        List<Change> changes = new ArrayList<>();
        long unknownFrees = history.events(HistoryEvent.Freed.class).size();
        for (BufferGeneration buffer : history.generations()) {
            unknownFrees -= buffer.reports().size() - buffer.openReports();
            if (canBeWritten(buffer)) {
                changes.add(new Change(buffer.allocatedAt(), true, buffer.request(), buffer));
                buffer.freedAt()
                        .ifPresent(event -> changes.add(new Change(event, false, releaseAt(event, buffer), buffer)));
            }
        }
        losses.add(HistoryFact.UNKNOWN_FREE, unknownFrees);
        changes.sort(Comparator.comparingLong(Change::event));
        return changes;
    }

    private static MemoryRequest releaseAt(long event, BufferGeneration buffer) {
        return buffer.reports().stream()
                .filter(report -> report.freedAt().orElseThrow() == event)
                .findFirst()
                .flatMap(BufferGeneration.Report::release)
                .orElseThrow();
    }

    private boolean canBeWritten(BufferGeneration buffer) {
        if (buffer.kind() != BufferKind.BUFFER) {
            losses.add(HistoryFact.CIRCULAR_BUFFER, buffer.kind() == BufferKind.CIRCULAR_BUFFER ? 1 : 0);
            return false;
        }
        long views = buffer.reports().stream()
                .filter(report -> report.request().details().view())
                .count();
        losses.add(HistoryFact.VIEW, views);
        if (views == buffer.reports().size()) {
            return false;
        }
        losses.add(HistoryFact.REPEATED_REPORT, buffer.reports().size() - views - 1);
        // In a capture the address 0 means that there is none.
        if (buffer.address() <= 0 || buffer.size() < 0 || buffer.device() < 0) {
            omit(buffer, HistoryFact.BUFFER_WITHOUT_ADDRESS);
            return false;
        }
        losses.add(HistoryFact.LIFETIME, buffer.lifetime() == BufferLifetime.USER ? 0 : 1);
        losses.add(HistoryFact.LABEL, buffer.label().isPresent() ? 1 : 0);
        return true;
    }

    private void omit(BufferGeneration buffer, HistoryFact fact) {
        losses.add(fact, 1);
        lacksLiveBuffer |= buffer.isLive();
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
        if (!isFree) {
            omit(change.buffer, HistoryFact.SHARED_ADDRESS);
        }
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
