package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Evidence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One survivor and what the history can say of it.
 *
 * @param buffer the survivor
 * @param history where to look
 * @param siblings finds buffers from the same line of code
 */
record SurvivorContext(BufferGeneration buffer, AllocationHistory history, SiblingIndex siblings) {

    /**
     * The moment by which the memory had to be given back: the runtime has until the wipe, everybody else until close. Where a
     * buffer of the runtime may lie at the address too, only the wipe is late enough to tell.
     */
    Moment checkMoment() {
        for (Report report : remaining()) {
            if (report.request().details().lifetime() == BufferLifetime.SYSTEM) {
                return Moment.BEFORE_WIPE;
            }
        }
        return Moment.CLOSE_BEGUN;
    }

    /**
     * Returns the reports of what may be left there: an allocator that lends an address again had got it back before, so of several
     * requests that one mesh served there only the last may hold it.
     */
    List<Report> remaining() {
        List<Report> open = buffer.reportsRemaining();
        if (open.size() == 1) {
            return open;
        }
        List<Report> last =
                open.stream().filter(report -> !isReusedAfter(report)).toList();
        return last.isEmpty() ? open : last;
    }

    @SuppressWarnings("ReferenceEquality") // A request is itself only.
    private boolean isReusedAfter(Report report) {
        return report.request().details().mesh().isPresent()
                && report.request().details().kind() == BufferKind.BUFFER
                && buffer.reports().stream()
                        .anyMatch(later -> later.request() != report.request()
                                && later.allocatedAt() > report.allocatedAt()
                                && later.ownership() == report.ownership()
                                && later.request().details().kind() == BufferKind.BUFFER
                                && later.request()
                                        .details()
                                        .mesh()
                                        .equals(report.request().details().mesh())
                                && areOfOneAllocator(report, later));
    }

    /** A mesh and each of its devices have an allocator: what lies on several devices is the mesh's, what lies on one may be either's. */
    private boolean areOfOneAllocator(Report one, Report other) {
        return liesOnSeveralDevices(one) && liesOnSeveralDevices(other);
    }

    private boolean liesOnSeveralDevices(Report report) {
        return history.buffersOf(report.request()).stream().anyMatch(sibling -> sibling.device() != buffer.device());
    }

    /** Returns whether a witness that can speak for all that is left called it free in time. */
    boolean isProvedFree() {
        return surviveWith(BufferKind.BUFFER) && addressState(checkMoment()) == AddressState.FREE;
    }

    /** Returns whether all that is left has one lifetime; a buffer must not hide behind another one at its address. */
    boolean surviveWith(BufferLifetime lifetime) {
        for (Report report : remaining()) {
            if (report.request().details().lifetime() != lifetime) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether all that is left is of one kind. */
    boolean surviveWith(BufferKind kind) {
        for (Report report : remaining()) {
            if (report.request().details().kind() != kind) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether it is reported on a device that its mesh does not lie over. A mesh has no memory there: what was reported is its own
     * object, under the number of a device.
     */
    boolean isReportedElsewhere() {
        if (buffer.mesh().isEmpty()) {
            return false;
        }
        List<MeshDescription> its = itsMeshes();
        return !its.isEmpty() && its.stream().noneMatch(mesh -> mesh.devices().contains(buffer.device()));
    }

    private List<MeshDescription> itsMeshes() {
        OptionalInt mesh = buffer.mesh();
        return mesh.isPresent() ? siblings.meshes(mesh.getAsInt()) : List.of();
    }

    /**
     * Returns the event by which the allocator reserved the address for another request while this one was in the books: it had got the
     * memory back before. A report that came late proves nothing.
     */
    OptionalLong reservedAgainAt() {
        OptionalLong again = buffer.reservedAgainAt();
        boolean isLate = again.isPresent()
                && history
                        .event(again.getAsLong())
                        .filter(HistoryEvent.Allocated.class::isInstance)
                        .map(event -> ((HistoryEvent.Allocated) event).request())
                        .stream()
                        .flatMap(request -> history.buffersOf(request).stream())
                        .filter(life -> life.allocatedAt() == again.getAsLong())
                        .anyMatch(life -> InconclusiveReasons.overtakenBy(new SurvivorContext(life, history, siblings))
                                .isPresent());
        return isLate ? OptionalLong.empty() : again;
    }

    /** Returns what the witness said of the address at a moment of this life of the device, or of those that its mesh lies over. */
    AddressState addressState(Moment moment) {
        if (reservedAgainAt().isPresent()) {
            return AddressState.FREE;
        }
        return reading(moment).map(event -> addressState(event.snapshot())).orElse(AddressState.UNKNOWN);
    }

    private AddressState addressState(WitnessSnapshot reading) {
        if (!isReportedElsewhere()) {
            return reading.stateOf(buffer.device(), buffer.type(), buffer.address());
        }
        Set<AddressState> said = itsMeshes().get(0).devices().stream()
                .map(device -> reading.stateOf(device, buffer.type(), buffer.address()))
                .collect(Collectors.toSet());
        return said.size() == 1 ? said.iterator().next() : AddressState.ALLOCATED;
    }

    /** Returns what the witness said, as evidence, if it said anything. */
    Optional<Evidence> statement(Moment moment) {
        OptionalLong again = reservedAgainAt();
        if (again.isPresent()) {
            return Optional.of(Evidence.of(
                    String.format(
                            Locale.ROOT,
                            "its allocator reserved the address for another request at event #%d, so it was freed before that",
                            again.getAsLong()),
                    again.getAsLong()));
        }
        String when = switch (moment) {
            case CLOSE_BEGUN -> "when close began";
            case BEFORE_WIPE -> "before the allocators were wiped";
            case AFTER_WIPE -> "after the allocators were wiped";
        };
        return reading(moment).map(event -> {
            boolean taken = addressState(moment) == AddressState.ALLOCATED;
            return Evidence.of(
                    String.format(
                            Locale.ROOT,
                            "%s called %s %s %s (event #%d)",
                            Phrases.allocatorOf(event.snapshot(), buffer.device())
                                    .orElse(
                                            history.meshesSharedADevice()
                                                    ? "the allocator of mesh "
                                                            + event.snapshot().mesh()
                                                    : "the allocator"),
                            Quantities.address(buffer.address()),
                            taken ? "taken" : "free",
                            when,
                            event.number()),
                    event.number());
        });
    }

    /** Returns the event that took a report back, if one did. */
    Optional<HistoryEvent.Freed> freeOf(Report report) {
        return report.freedAt().stream()
                .mapToObj(history::event)
                .flatMap(Optional::stream)
                .filter(HistoryEvent.Freed.class::isInstance)
                .map(HistoryEvent.Freed.class::cast)
                .findFirst();
    }

    /** Returns the free that the runtime ignored because the device was closed, if the code under test tried one. */
    Optional<HistoryEvent.FreeIgnored> freeAfterClose() {
        return siblings.freesAfterClose(buffer);
    }

    /** Returns the last free that the runtime ignored because another handle shares the buffer, if there was one. */
    Optional<HistoryEvent.FreeIgnored> freeWhileShared() {
        return siblings.freeWhileShared(buffer);
    }

    /** Returns the reading of a moment of this life of the device that covers the buffer. */
    Optional<HistoryEvent.Witnessed> reading(Moment moment) {
        return isReportedElsewhere() ? readingOfItsMesh(moment) : history.readingFor(buffer, moment);
    }

    private Optional<HistoryEvent.Witnessed> readingOfItsMesh(Moment moment) {
        int mesh = itsMeshes().get(0).id();
        return history.readings().stream()
                .filter(event -> event.number() > buffer.allocatedAt()
                        && event.snapshot().moment() == moment)
                .filter(event -> event.snapshot().mesh() == mesh)
                .filter(event -> AllocatorId.mayBeOne(event.snapshot().allocator(), buffer.allocator()))
                .findFirst();
    }

    /** Returns the same life as it went on after the check, if the history went on. */
    Optional<SurvivorContext> later() {
        return siblings.later(buffer);
    }

    /** Returns what was found out about the handles of the requests that still have a report open. */
    List<HistoryEvent.HandleTraced> traces() {
        List<HistoryEvent.HandleTraced> traces = new ArrayList<>();
        for (AllocationRequest request : openRequests()) {
            history.reachabilityOf(request).ifPresent(traces::add);
        }
        return traces;
    }

    /**
     * Returns how many requests that still have a report open somebody has to free: not those of the runtime, nor those whose owner
     * ended. A request of which nothing is known is one.
     */
    long requestsToFree() {
        return openRequests().stream()
                .filter(request -> request.details().lifetime() == BufferLifetime.USER)
                .filter(request -> request.details()
                        .owner()
                        .filter(owner -> history.endOf(owner).isPresent())
                        .isEmpty())
                .count();
    }

    /** In the order of the reports: told apart by identity alone, they would come in another order in every run. */
    private List<AllocationRequest> openRequests() {
        List<Report> left = remaining();
        if (left.size() == 1) {
            return List.of(left.get(0).request());
        }
        Set<AllocationRequest> met = Collections.newSetFromMap(new IdentityHashMap<>());
        return left.stream().map(Report::request).filter(met::add).toList();
    }

    /** Returns what else a reader wants to know of a buffer that nobody freed: the witness, frees that did nothing, others there. */
    List<Evidence> circumstances() {
        List<Evidence> evidence = new ArrayList<>();
        statement(checkMoment()).ifPresent(evidence::add);
        evidence.addAll(RepeatedReports.of(this));
        freeWhileShared().map(SurvivorContext::survivesAlone).ifPresent(evidence::add);
        whoElse(buffer).ifPresent(evidence::add);
        return evidence;
    }

    /** Which of several requests at one address still holds it, nobody can tell. */
    @SuppressWarnings("ReferenceEquality") // A request is itself only.
    private static Optional<Evidence> whoElse(BufferGeneration buffer) {
        List<Report> left = buffer.reportsRemaining();
        Report first = left.get(0);
        return left.stream()
                .filter(report -> report.request() != first.request())
                .reduce((earlier, later) -> later)
                .map(last -> Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "%d reports of that address are open, the last one of event #%d (%d B), at %s",
                                left.size(),
                                last.allocatedAt(),
                                last.size(),
                                Phrases.callSite(last.request())),
                        last.allocatedAt()));
    }

    /** Who thinks that the buffer was freed wants to know why it was not. */
    private static Evidence survivesAlone(HistoryEvent.FreeIgnored free) {
        return Evidence.of(
                String.format(
                        Locale.ROOT,
                        "a free of it was ignored (event #%d), because %s, at %s",
                        free.number(),
                        free.reason().description(),
                        Phrases.callSite(free.request())),
                free.number());
    }
}
