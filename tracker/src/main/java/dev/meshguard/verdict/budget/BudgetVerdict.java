package dev.meshguard.verdict.budget;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.FreeSpace;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.Timeline;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.internal.HeldMemory;
import dev.meshguard.verdict.internal.SiteIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The result of checking budgets.
 *
 * <p>It is a pure function of a verdict and of the free space that allocators report. It counts memory, not the ledger:
 * a buffer whose free was never reported counts only as long as it is proved to be held.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param budgets the budgets
 * @param violations exceeded or undecidable limits, in the order of the budgets
 * @param excludedBuffers how many buffers were excluded because the moment of their free is unknown
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BudgetVerdict(List<BudgetSpec> budgets, List<BudgetViolation> violations, long excludedBuffers) {

    /** Creates a verdict with its own copies of the lists. */
    public BudgetVerdict {
        budgets = List.copyOf(budgets);
        violations = List.copyOf(violations);
    }

    /**
     * Checks budgets against a history.
     *
     * @param verdict the verdict on the history
     * @param budgets the budgets
     * @param freeSpaces the free space that allocators reported at the end; empty if there is no mesh to read
     */
    public static BudgetVerdict of(LeakVerdict verdict, List<BudgetSpec> budgets, List<FreeSpace> freeSpaces) {
        Judge judge = new Judge(verdict);
        for (BudgetSpec budget : budgets) {
            if (isOfNoMesh(budget, verdict.history())) {
                judge.violations.addAll(ofNoMesh(budget, verdict.history()));
            } else {
                judge.check(budget);
                judge.violations.addAll(fragmented(budget, freeSpaces));
            }
        }
        return new BudgetVerdict(budgets, judge.violations, judge.held.excludedBuffers());
    }

    /** Returns whether no limit was exceeded or undecidable. */
    public boolean isMet() {
        return violations.isEmpty();
    }

    /** Returns whether a budget is for a device without a mesh, which no execution can exceed. */
    private static boolean isOfNoMesh(BudgetSpec budget, AllocationHistory history) {
        return budget.device().isPresent()
                && !history.meshes().isEmpty()
                && history.meshes().stream()
                        .noneMatch(
                                mesh -> mesh.devices().contains(budget.device().getAsInt()))
                && !history.devices().contains(budget.device().getAsInt());
    }

    private static List<BudgetViolation> ofNoMesh(BudgetSpec budget, AllocationHistory history) {
        DeviceSet devices = DeviceSet.of(history.meshes().stream()
                .flatMap(mesh -> mesh.devices().stream())
                .toList());
        String reason = String.format(
                Locale.ROOT,
                "device = %d is no device of the mesh, which has %s. Give one of these, or leave device out to limit each device.",
                budget.device().orElseThrow(),
                devices);
        return budget.limits().stream()
                .<BudgetViolation>map(metric -> new BudgetViolation.NotCheckable(budget, metric, reason))
                .toList();
    }

    private static List<BudgetViolation> fragmented(BudgetSpec budget, List<FreeSpace> freeSpaces) {
        if (budget.largestFreeBlock().isEmpty()) {
            return List.of();
        }
        List<FreeSpace> fitting = freeSpaces.stream()
                .filter(freeSpace -> freeSpace.type() == budget.type())
                .filter(freeSpace -> budget.device().isEmpty()
                        || freeSpace.devices().contains(budget.device().getAsInt()))
                .toList();
        if (fitting.isEmpty()) {
            return List.of(new BudgetViolation.NotCheckable(
                    budget,
                    BudgetMetric.LARGEST_FREE_BLOCK,
                    "No open mesh could be asked: a history does not hold how free memory lies. Ask a mesh that is still open, or"
                            + " leave the limit out."));
        }
        return fitting.stream()
                .filter(freeSpace -> freeSpace.largestFreePerBank()
                        < budget.largestFreeBlock().getAsLong())
                .<BudgetViolation>map(freeSpace -> new BudgetViolation.Fragmented(budget, freeSpace))
                .toList();
    }

    /** Checks several budgets against one verdict. */
    private static final class Judge {
        private final AllocationHistory history;
        private final HeldMemory held;
        private final SortedMap<DeviceMemory, Timeline.Curve> curves;
        private final List<BudgetViolation> violations = new ArrayList<>();

        private Judge(LeakVerdict verdict) {
            history = verdict.history();
            held = new HeldMemory(verdict);
            curves = new TreeMap<>(held.timeline().curvesBy(DeviceMemory::of));
        }

        private void check(BudgetSpec budget) {
            curves.forEach((memory, curve) -> {
                if (budget.applies(memory)) {
                    check(budget, memory, curve);
                }
            });
        }

        private void check(BudgetSpec budget, DeviceMemory memory, Timeline.Curve curve) {
            check(budget, memory, BudgetMetric.PEAK_BYTES, budget.peakBytes(), curve.peakBytes(), curve.peakEvent());
            check(budget, memory, BudgetMetric.LIVE_BYTES, budget.liveBytes(), curve.liveBytes(), lastEvent());
            check(
                    budget,
                    memory,
                    BudgetMetric.BUFFERS,
                    budget.buffers(),
                    curve.peakBuffers(),
                    curve.peakBuffersEvent());
        }

        /** A part of a history keeps the numbers of its events. */
        private long lastEvent() {
            List<HistoryEvent> events = history.events();
            return events.isEmpty() ? 0 : events.get(events.size() - 1).number();
        }

        private void check(
                BudgetSpec budget,
                DeviceMemory memory,
                BudgetMetric metric,
                OptionalLong allowed,
                long found,
                long event) {
            if (allowed.isEmpty() || found <= allowed.getAsLong()) {
                return;
            }
            List<TopConsumer> consumers = consumers(memory, event);
            violations.add(new BudgetViolation.Exceeded(
                    budget,
                    metric,
                    memory,
                    allowed.getAsLong(),
                    found,
                    event,
                    history.phaseAt(event),
                    consumers.stream().mapToLong(TopConsumer::circularBytes).sum(),
                    consumers));
        }

        /** Returns the sites that held a memory after an event, the largest first. */
        private List<TopConsumer> consumers(DeviceMemory memory, long event) {
            SiteIndex sites = new SiteIndex();
            Map<AllocationSite, TopConsumer> consumers = new LinkedHashMap<>();
            for (HeldMemory.HoldInterval interval : held.holdIntervals()) {
                BufferGeneration buffer = interval.buffer();
                if (buffer.device() == memory.device()
                        && buffer.type() == memory.type()
                        && interval.from() <= event
                        && event < interval.until()) {
                    AllocationSite site = sites.siteOf(buffer);
                    long circular = buffer.kind() == BufferKind.CIRCULAR_BUFFER ? interval.size() : 0;
                    consumers.merge(
                            site,
                            new TopConsumer(site, sites.originOf(site), 1, interval.size(), circular),
                            (one, other) -> new TopConsumer(
                                    site,
                                    other.origin(),
                                    one.buffers() + other.buffers(),
                                    one.bytes() + other.bytes(),
                                    one.circularBytes() + other.circularBytes()));
                }
            }
            return consumers.values().stream()
                    .sorted(Comparator.comparingLong(TopConsumer::bytes).reversed())
                    .toList();
        }
    }
}
