package dev.meshguard.verdict.budget;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.FreeSpace;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.internal.HeldMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
        List<BudgetViolation> violations = new ArrayList<>();
        for (BudgetSpec budget : budgets) {
            if (isOfNoMesh(budget, verdict.history())) {
                violations.addAll(ofNoMesh(budget, verdict.history()));
            } else {
                violations.addAll(judge.used(budget));
                violations.addAll(broken(budget, freeSpaces));
            }
        }
        return new BudgetVerdict(budgets, violations, judge.excludedBuffers);
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

    private static List<BudgetViolation> broken(BudgetSpec budget, List<FreeSpace> freeSpaces) {
        List<FreeSpace> fitting = freeSpaces.stream()
                .filter(freeSpace -> freeSpace.type() == budget.type())
                .filter(freeSpace -> budget.device().isEmpty()
                        || freeSpace.devices().contains(budget.device().getAsInt()))
                .toList();
        List<BudgetViolation> violations = new ArrayList<>();
        budget.largestFreeBlock().ifPresent(least -> {
            if (fitting.isEmpty()) {
                violations.add(unknown(budget));
            }
            fitting.stream()
                    .filter(freeSpace -> freeSpace.largestFreePerBank() < least)
                    .forEach(freeSpace -> violations.add(new BudgetViolation.Fragmented(budget, freeSpace)));
        });
        return violations;
    }

    private static BudgetViolation unknown(BudgetSpec budget) {
        return new BudgetViolation.NotCheckable(
                budget,
                BudgetMetric.LARGEST_FREE_BLOCK,
                "No open mesh could be asked: a history does not hold how free memory lies. Ask a mesh that is still open, or"
                        + " leave the limit out.");
    }

    /** The use of one memory over time. */
    private static final class UsageCurve {
        private final List<HeldMemory.HoldInterval> holdIntervals = new ArrayList<>();
        private long peakBytes;
        private long peakBytesAt;
        private long peakBuffers;
        private long peakBuffersAt;

        /** Frees precede allocations that reuse their memory; no two events have one number. */
        private void run() {
            SortedMap<Long, long[]> steps = new TreeMap<>();
            for (HeldMemory.HoldInterval interval : holdIntervals) {
                step(steps, interval.from(), interval.size(), 1);
                if (interval.until() != HeldMemory.TO_THE_END) {
                    step(steps, interval.until(), -interval.size(), -1);
                }
            }
            long bytes = 0;
            long buffers = 0;
            for (Map.Entry<Long, long[]> step : steps.entrySet()) {
                bytes += step.getValue()[0];
                buffers += step.getValue()[1];
                if (bytes > peakBytes) {
                    peakBytes = bytes;
                    peakBytesAt = step.getKey();
                }
                if (buffers > peakBuffers) {
                    peakBuffers = buffers;
                    peakBuffersAt = step.getKey();
                }
            }
        }

        private static void step(SortedMap<Long, long[]> steps, long event, long bytes, long buffers) {
            long[] step = steps.computeIfAbsent(event, unused -> new long[2]);
            step[0] += bytes;
            step[1] += buffers;
        }

        private List<HeldMemory.HoldInterval> heldAt(long event) {
            return holdIntervals.stream()
                    .filter(interval -> interval.from() <= event && event < interval.until())
                    .toList();
        }
    }

    /** Checks several budgets against one history. */
    private static final class Judge {
        private final AllocationHistory history;
        private final SortedMap<DeviceMemory, UsageCurve> curves = new TreeMap<>();
        private final long excludedBuffers;
        private final long last;

        private Judge(LeakVerdict verdict) {
            history = verdict.history();
            HeldMemory held = new HeldMemory(verdict);
            for (HeldMemory.HoldInterval interval : held.holdIntervals()) {
                BufferGeneration buffer = interval.buffer();
                curves.computeIfAbsent(new DeviceMemory(buffer.device(), buffer.type()), unused -> new UsageCurve())
                        .holdIntervals
                        .add(interval);
            }
            curves.values().forEach(UsageCurve::run);
            excludedBuffers = held.excludedBuffers();
            List<HistoryEvent> events = history.events();
            // A part of a history keeps the numbers of its events.
            last = events.isEmpty() ? 0 : events.get(events.size() - 1).number();
        }

        private List<BudgetViolation> used(BudgetSpec budget) {
            List<BudgetViolation> violations = new ArrayList<>();
            curves.forEach((memory, curve) -> {
                if (memory.type() == budget.type()
                        && (budget.device().isEmpty() || budget.device().getAsInt() == memory.device())) {
                    violations.addAll(used(budget, memory, curve));
                }
            });
            return violations;
        }

        private List<BudgetViolation> used(BudgetSpec budget, DeviceMemory memory, UsageCurve curve) {
            List<BudgetViolation> violations = new ArrayList<>();
            budget.peakBytes().ifPresent(most -> {
                if (curve.peakBytes > most) {
                    violations.add(used(
                            budget, BudgetMetric.PEAK_BYTES, memory, most, curve.peakBytes, curve, curve.peakBytesAt));
                }
            });
            budget.liveBytes().ifPresent(most -> {
                long live = curve.heldAt(last).stream()
                        .mapToLong(HeldMemory.HoldInterval::size)
                        .sum();
                if (live > most) {
                    violations.add(used(budget, BudgetMetric.LIVE_BYTES, memory, most, live, curve, last));
                }
            });
            budget.buffers().ifPresent(most -> {
                if (curve.peakBuffers > most) {
                    violations.add(used(
                            budget, BudgetMetric.BUFFERS, memory, most, curve.peakBuffers, curve, curve.peakBuffersAt));
                }
            });
            return violations;
        }

        private BudgetViolation used(
                BudgetSpec budget,
                BudgetMetric metric,
                DeviceMemory memory,
                long allowed,
                long found,
                UsageCurve curve,
                long event) {
            List<TopConsumer> holders = holders(curve.heldAt(event));
            return new BudgetViolation.Exceeded(
                    budget,
                    metric,
                    memory,
                    allowed,
                    found,
                    event,
                    history.phaseAt(event),
                    holders.stream().mapToLong(TopConsumer::circularBytes).sum(),
                    holders);
        }

        private static List<TopConsumer> holders(List<HeldMemory.HoldInterval> intervals) {
            Map<AllocationSite, TopConsumer> holders = new LinkedHashMap<>();
            Map<Origin, Optional<String>> places = new HashMap<>();
            for (HeldMemory.HoldInterval held : intervals) {
                BufferGeneration buffer = held.buffer();
                Optional<Origin> origin =
                        buffer.origin().filter(known -> !known.frames().isEmpty());
                Optional<String> place =
                        origin.flatMap(known -> places.computeIfAbsent(known, AllocationSite::callSiteOf));
                long circular = buffer.kind() == BufferKind.CIRCULAR_BUFFER ? held.size() : 0;
                AllocationSite site = AllocationSite.of(buffer, place);
                holders.merge(
                        site,
                        new TopConsumer(site, origin, 1, held.size(), circular),
                        (one, other) -> new TopConsumer(
                                site,
                                one.origin().or(other::origin),
                                one.buffers() + other.buffers(),
                                one.bytes() + other.bytes(),
                                one.circularBytes() + other.circularBytes()));
            }
            return holders.values().stream()
                    .sorted(Comparator.comparingLong(TopConsumer::bytes).reversed())
                    .toList();
        }
    }
}
