package dev.meshguard.verdict.budget;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.Timeline;
import dev.meshguard.text.InvariantText;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.internal.HoldIntervals;
import dev.meshguard.verdict.internal.SiteIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
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
        budgets.forEach(budget -> judge.check(budget, freeSpaces));
        return new BudgetVerdict(budgets, judge.violations, judge.held.excludedBuffers());
    }

    /** Returns whether no limit was exceeded or undecidable. */
    public boolean isMet() {
        return violations.isEmpty();
    }

    /** Checks several budgets against one verdict. */
    private static final class Judge {
        private final AllocationHistory history;
        private final List<InconclusiveReason> missing;
        private final HoldIntervals held;
        private final SortedMap<DeviceMemory, Timeline.Curve> curves;
        private final List<BudgetViolation> violations = new ArrayList<>();

        private Judge(LeakVerdict verdict) {
            history = verdict.history();
            missing = verdict.missingReports();
            held = new HoldIntervals(verdict);
            curves = new TreeMap<>(held.timeline().curvesBy(DeviceMemory::of));
        }

        private void check(BudgetSpec budget, List<FreeSpace> freeSpaces) {
            if (isOfNoMesh(budget)) {
                return;
            }
            int before = violations.size();
            curves.forEach((memory, curve) -> {
                if (budget.applies(memory)) {
                    check(budget, memory, BudgetMetric.PEAK_BYTES, curve.peakBytes(), curve.peakEvent());
                    check(budget, memory, BudgetMetric.LIVE_BYTES, curve.liveBytes(), lastEvent());
                    check(budget, memory, BudgetMetric.BUFFERS, curve.peakBuffers(), curve.peakBuffersEvent());
                }
            });
            if (violations.size() == before) {
                missing.stream().findFirst().ifPresent(reason -> reportNotCheckable(budget, reason));
            }
            if (budget.needsAllocator()) {
                checkFreeBlocks(budget, freeSpaces);
            }
        }

        /** Missing reports may exceed each limit but that of the largest free block, which is the allocator's own figure. */
        private void reportNotCheckable(BudgetSpec budget, InconclusiveReason reason) {
            budget.limits().keySet().stream()
                    .filter(metric -> metric != BudgetMetric.LARGEST_FREE_BLOCK)
                    .forEach(metric -> violations.add(new BudgetViolation.NotCheckable(budget, metric, reason.text())));
        }

        /** Returns whether a budget is for a device without a mesh, which no execution can exceed, and adds that. */
        private boolean isOfNoMesh(BudgetSpec budget) {
            List<Integer> devices = history.meshes().stream()
                    .flatMap(mesh -> mesh.devices().stream())
                    .toList();
            OptionalInt device = budget.device();
            boolean isOfNone = device.isPresent()
                    && !devices.isEmpty()
                    && !devices.contains(device.getAsInt())
                    && !history.devices().contains(device.getAsInt());
            if (isOfNone) {
                String reason = InvariantText.of(
                        "device = %d is no device of the mesh, which has %s. Give one of these, or leave device out to limit each"
                                + " device.",
                        device.getAsInt(), DeviceSet.of(devices));
                budget.limits()
                        .keySet()
                        .forEach(metric -> violations.add(new BudgetViolation.NotCheckable(budget, metric, reason)));
            }
            return isOfNone;
        }

        private void checkFreeBlocks(BudgetSpec budget, List<FreeSpace> freeSpaces) {
            List<FreeSpace> fitting = freeSpaces.stream()
                    .filter(freeSpace -> freeSpace.devices().stream()
                            .anyMatch(device -> budget.applies(new DeviceMemory(device, freeSpace.type()))))
                    .toList();
            if (fitting.isEmpty()) {
                violations.add(new BudgetViolation.NotCheckable(
                        budget,
                        BudgetMetric.LARGEST_FREE_BLOCK,
                        "No open mesh could be asked: a history does not hold how free memory lies. Ask a mesh that is still open, or"
                                + " leave the limit out."));
            }
            long required = budget.limit(BudgetMetric.LARGEST_FREE_BLOCK).orElse(0);
            fitting.stream()
                    .filter(freeSpace -> freeSpace.largestFreePerBank() < required)
                    .forEach(freeSpace -> violations.add(new BudgetViolation.Fragmented(budget, freeSpace)));
        }

        /** Some events of a history keep their numbers. */
        private long lastEvent() {
            List<HistoryEvent> events = history.events();
            return events.isEmpty() ? 0 : events.get(events.size() - 1).number();
        }

        /** Adds a violation if a limit is set and exceeded. */
        private void check(BudgetSpec budget, DeviceMemory memory, BudgetMetric metric, long found, long event) {
            long allowed = budget.limit(metric).orElse(found);
            if (found > allowed) {
                List<TopConsumer> consumers = consumers(memory, event);
                violations.add(new BudgetViolation.Exceeded(
                        budget,
                        metric,
                        memory,
                        allowed,
                        found,
                        event,
                        history.phaseAt(event),
                        consumers.stream().mapToLong(TopConsumer::circularBytes).sum(),
                        consumers));
            }
        }

        /** Returns the sites that held a memory after an event, the largest first. */
        private List<TopConsumer> consumers(DeviceMemory memory, long event) {
            SiteIndex sites = new SiteIndex();
            Map<AllocationSite, TopConsumer> consumers = new LinkedHashMap<>();
            for (BufferGeneration.HoldInterval interval : held.holdIntervals()) {
                BufferGeneration buffer = interval.buffer();
                if (buffer.device() == memory.device()
                        && buffer.type() == memory.type()
                        && interval.from() <= event
                        && event < interval.until()) {
                    AllocationSite site = sites.siteOf(buffer);
                    long circular = buffer.kind() == BufferKind.CIRCULAR_BUFFER ? interval.size() : 0;
                    SourceVocabulary words = history.vocabularyOf(buffer.request());
                    consumers.merge(
                            site,
                            new TopConsumer(site, words, sites.originOf(site), 1, interval.size(), circular),
                            TopConsumer::and);
                }
            }
            return consumers.values().stream()
                    .sorted(Comparator.comparingLong(TopConsumer::bytes).reversed())
                    .toList();
        }
    }
}
