package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.tracker.history.Anomaly;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Evidence;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What it means that an address was reported more than once, or lent over a part of a live buffer.
 *
 * <p>A view, an allocation after a free that got lost, and two live buffers in one place look the same in a count of references.
 * Who owned the memory, the sizes, the order and the witness tell them apart; where they do not, nothing is said.
 */
final class RepeatedReports {

    private RepeatedReports() {}

    /** Returns the facts, none if the address was reported once and nothing overlaps it. */
    static List<Evidence> of(SurvivorContext survivor) {
        List<Evidence> facts = new ArrayList<>();
        reportedAgain(survivor).ifPresent(facts::add);
        overlapped(survivor).ifPresent(facts::add);
        return facts;
    }

    private static Optional<Evidence> reportedAgain(SurvivorContext survivor) {
        List<Report> reports = survivor.buffer().reports();
        boolean areBuffers =
                reports.stream().allMatch(report -> report.request().details().kind() == BufferKind.BUFFER);
        if (reports.size() < 2 || !areBuffers) {
            return Optional.empty();
        }
        boolean oneAllocator = survivor.history().meshes().isEmpty();
        return view(reports, survivor.addressState(survivor.checkMoment()))
                .or(() -> oneAllocator ? reused(reports) : Optional.empty());
    }

    /** An owner, and something smaller or equal that points to it: which of the two is left makes all the difference. */
    private static Optional<Evidence> view(List<Report> reports, AddressState testimony) {
        for (Report owner : reports) {
            for (Report view : reports) {
                boolean oneWent = isViewOf(view, owner) && owner.isOpen() != view.isOpen();
                if (oneWent && owner.isOpen() && testimony != AddressState.FREE) {
                    return Optional.of(onlyTheViewWent(owner, view));
                }
                if (oneWent && view.isOpen() && testimony != AddressState.ALLOCATED) {
                    return Optional.of(onlyTheOwnerWent(owner, view));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isViewOf(Report view, Report owner) {
        return view.ownership() == Ownership.NON_OWNING
                && owner.ownership() == Ownership.OWNING
                && view.allocatedAt() > owner.allocatedAt()
                && view.size() <= owner.size();
    }

    private static Evidence onlyTheViewWent(Report owner, Report view) {
        long freed = view.freedAt().orElseThrow();
        return Evidence.of(
                String.format(
                        Locale.ROOT,
                        "what was freed at event #%d is the view of event #%d; the lasting buffer of event #%d is still there",
                        freed,
                        view.allocatedAt(),
                        owner.allocatedAt()),
                freed,
                view.allocatedAt(),
                owner.allocatedAt());
    }

    private static Evidence onlyTheOwnerWent(Report owner, Report view) {
        long freed = owner.freedAt().orElseThrow();
        return Evidence.of(
                String.format(
                        Locale.ROOT,
                        "the view of event #%d was destroyed without a report; the buffer that it looked at was freed at event"
                                + " #%d",
                        view.allocatedAt(),
                        freed),
                view.allocatedAt(),
                freed);
    }

    /**
     * No allocator lends memory that it holds to be taken, so what was reported there before had been given back. Only where there
     * is one allocator: that of a mesh and those of its devices lend the same addresses.
     */
    @SuppressWarnings("ReferenceEquality") // A request is itself only.
    private static Optional<Evidence> reused(List<Report> reports) {
        Report first = reports.get(0);
        for (Report again : reports.subList(1, reports.size())) {
            boolean isOther =
                    again.request() != first.request() || again.request().isAnonymous();
            boolean bothOwn = first.ownership() == Ownership.OWNING && again.ownership() == Ownership.OWNING;
            boolean cannotBeAView = again.ownership() != Ownership.NON_OWNING && again.size() > first.size();
            if (isOther && (bothOwn || cannotBeAView)) {
                return Optional.of(Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "the address was lent again at event #%d%s, so the free of what event #%d reported got lost",
                                again.allocatedAt(),
                                again.size() == first.size()
                                        ? ""
                                        : ", for " + Quantities.size(again.size()) + " instead of "
                                                + Quantities.size(first.size()),
                                first.allocatedAt()),
                        again.allocatedAt(),
                        first.allocatedAt()));
            }
        }
        return Optional.empty();
    }

    /** By interval: memory that another buffer was lent a part of. */
    private static Optional<Evidence> overlapped(SurvivorContext survivor) {
        return survivor.siblings().overlapsOf(survivor.buffer()).stream()
                .findFirst()
                .filter(overlap -> overlap.event() instanceof HistoryEvent.Allocated)
                .map(overlap -> overlapped(survivor, overlap, (HistoryEvent.Allocated) overlap.event()));
    }

    private static Evidence overlapped(SurvivorContext survivor, Anomaly overlap, HistoryEvent.Allocated other) {
        String what = String.format(
                Locale.ROOT,
                "%s at %s was lent over a part of it (event #%d)",
                Quantities.size(other.size()),
                Quantities.address(other.address()),
                other.number());
        AddressState own = survivor.addressState(survivor.checkMoment());
        boolean otherTaken = survivor.reading(Moment.CLOSE_BEGUN)
                .filter(reading -> reading.snapshot().stateOf(other.device(), overlap.type(), other.address())
                        == AddressState.ALLOCATED)
                .isPresent();
        String meaning = switch (own) {
            case ALLOCATED -> otherTaken ? ", and the allocator held both: a true overlap" : "";
            case FREE -> ", so it had been given back by then";
            case UNKNOWN -> ", so one of the two had been given back, and no witness says which";
        };
        return Evidence.of(what + meaning, other.number());
    }
}
