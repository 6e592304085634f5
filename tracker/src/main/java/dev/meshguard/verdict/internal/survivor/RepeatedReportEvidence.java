package dev.meshguard.verdict.internal.survivor;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Evidence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Explains why the address of a survivor was reported more than once, or allocated over a part of a live buffer.
 *
 * <p>A view, an allocation after a lost free, and two live buffers at one address look the same in a reference count.
 * The owner of the memory, the sizes, the order and the witness distinguish them. If they do not, there is no
 * explanation.
 */
public final class RepeatedReportEvidence {

    private RepeatedReportEvidence() {}

    /** Returns the facts; empty if the address was reported once and nothing overlaps it. */
    public static List<Evidence> of(SurvivorFacts survivor) {
        List<Evidence> facts = new ArrayList<>();
        reportedAgain(survivor).ifPresent(facts::add);
        overlapped(survivor).ifPresent(facts::add);
        return facts;
    }

    private static Optional<Evidence> reportedAgain(SurvivorFacts survivor) {
        List<Report> reports = survivor.buffer().reports();
        boolean areBuffers =
                reports.stream().allMatch(report -> report.details().kind() == BufferKind.BUFFER);
        if (reports.size() < 2 || !areBuffers) {
            return Optional.empty();
        }
        boolean oneAllocator = survivor.history().meshes().isEmpty();
        return view(reports, survivor.addressState()).or(() -> oneAllocator ? reused(reports) : Optional.empty());
    }

    /** Describes an owner with a smaller or equal view of it, and which of the two remains. */
    private static Optional<Evidence> view(List<Report> reports, AddressState state) {
        for (Report owner : reports) {
            for (Report view : reports) {
                boolean oneWent = isViewOf(view, owner) && owner.isOpen() != view.isOpen();
                if (oneWent && owner.isOpen() && state != AddressState.FREE) {
                    return Optional.of(onlyTheViewWent(owner, view));
                }
                if (oneWent && view.isOpen() && state != AddressState.ALLOCATED) {
                    return Optional.of(onlyTheOwnerWent(owner, view));
                }
            }
        }
        return Optional.empty();
    }

    /** Returns whether a report may be of a view of the memory that another report owns. */
    public static boolean isViewOf(Report view, Report owner) {
        return view.ownership() == Ownership.NON_OWNING
                && owner.ownership() == Ownership.OWNING
                && view.allocatedAt() > owner.allocatedAt()
                && view.size() <= owner.size();
    }

    private static Evidence onlyTheViewWent(Report owner, Report view) {
        long freed = view.freedAt().orElseThrow();
        return Evidence.formatted(
                "what was freed at event #%d is the view of event #%d; the lasting buffer of event #%d is still there",
                freed, view.allocatedAt(), owner.allocatedAt());
    }

    private static Evidence onlyTheOwnerWent(Report owner, Report view) {
        long freed = owner.freedAt().orElseThrow();
        return Evidence.formatted(
                "the view of event #%d was destroyed without a report; the buffer that it looked at was freed at event"
                        + " #%d",
                view.allocatedAt(), freed);
    }

    /**
     * No allocator reuses memory that it holds, so the earlier report there had been freed if both are of one allocator. That
     * of a mesh and those of its devices use the same addresses, and a source without meshes need not name them.
     */
    private static Optional<Evidence> reused(List<Report> reports) {
        Report first = reports.get(0);
        for (Report again : reports.subList(1, reports.size())) {
            boolean bothOwn = first.ownership() == Ownership.OWNING && again.ownership() == Ownership.OWNING;
            boolean cannotBeAView = again.ownership() != Ownership.NON_OWNING && again.size() > first.size();
            if (!again.isOfOneRequestWith(first) && (bothOwn || cannotBeAView)) {
                return Optional.of(Evidence.formatted(
                        "the address was allocated again at event #%d%s: the free of what event #%d reported got lost, or"
                                + " another allocator over the device holds it too",
                        again.allocatedAt(),
                        again.size() == first.size()
                                ? ""
                                : ", for " + Quantities.size(again.size()) + " instead of "
                                        + Quantities.size(first.size()),
                        first.allocatedAt()));
            }
        }
        return Optional.empty();
    }

    /** Finds another buffer that was allocated over a part of the memory. */
    private static Optional<Evidence> overlapped(SurvivorFacts survivor) {
        return survivor.anomalies(Anomaly.Kind.OVERLAP)
                .findFirst()
                .map(overlap -> overlapped(survivor, (HistoryEvent.Allocated) overlap.event()));
    }

    private static Evidence overlapped(SurvivorFacts survivor, HistoryEvent.Allocated other) {
        boolean isOtherAllocated = survivor.snapshot(Moment.CLOSE_BEGUN)
                .filter(event -> event.snapshot().stateOf(other.device(), other.type(), other.address())
                        == AddressState.ALLOCATED)
                .isPresent();
        String meaning = switch (survivor.addressState()) {
            case ALLOCATED -> isOtherAllocated ? ", and the allocator held both: a true overlap" : "";
            case FREE -> ", so it had been freed by then";
            case UNKNOWN -> ", so one of the two had been freed, and no witness shows which";
        };
        return Evidence.formatted(
                "%s at %s was allocated over a part of it (event #%d)%s",
                Quantities.size(other.size()), Quantities.address(other.address()), other.number(), meaning);
    }
}
