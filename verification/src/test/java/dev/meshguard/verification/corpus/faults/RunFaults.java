package dev.meshguard.verification.corpus.faults;

import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.tracker.AllocationListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The faults of one run, and their moments: those of the runtime, and those of its reports.
 *
 * <p>A run takes both: {@code Ttnn.builder(faults.between(listener)).faults(faults.ofRuntime())}. {@link #toString()} returns the
 * calls that create the plan. {@link #random} creates a plan from a seed, which it keeps for ever, because results are printed
 * with it.
 *
 * <p>Immutable. Two plans are equal if they have the same faults.
 */
public final class RunFaults {

    private static final RunFaults NONE = new RunFaults(List.of(), OptionalLong.empty());

    private final List<RunFault> faults;
    private final OptionalLong seed;

    private RunFaults(List<RunFault> faults, OptionalLong seed) {
        this.faults = List.copyOf(faults);
        this.seed = seed;
    }

    /** Returns the plan without faults. */
    public static RunFaults none() {
        return NONE;
    }

    /**
     * Returns a plan of one to four faults of any sort, for a run of some dozens of reports on up to eight devices.
     *
     * @param seed the same one gives the same plan, on every machine and version of Java
     */
    public static RunFaults random(long seed) {
        return new RunFaults(RandomFaults.of(seed), OptionalLong.of(seed));
    }

    /** Returns a plan of the faults that the runtime injects, without faults of reports. */
    public static RunFaults of(FaultPlan ofRuntime) {
        RunFaults plan = NONE;
        for (Fault fault : ofRuntime.faults()) {
            plan = plan.with(fault);
        }
        return plan;
    }

    /** Loses the report with this number, from 1; see {@link #losingReport(long, ReportKind)}. */
    public RunFaults losingReport(long number) {
        return with(new ReportFault.ReportLost(number, Optional.empty(), OptionalInt.empty(), false));
    }

    /**
     * Loses the report of one kind with this number. The listener does not receive it, and learns of the loss only if it is
     * {@linkplain #noticed() noticed}.
     *
     * <p>Reports are counted for each buffer and each device: an allocation of a mesh buffer over eight devices makes eight.
     * Only reports about a buffer of a device are lost, doubled or moved. Excluded are phases, opening and closing of meshes
     * and devices, owners, witness snapshots, and reports of frees that the runtime ignored, which it never reports.
     */
    public RunFaults losingReport(long number, ReportKind kind) {
        return with(new ReportFault.ReportLost(number, Optional.of(kind), OptionalInt.empty(), false));
    }

    /** Hands on the report with this number twice. */
    public RunFaults doublingReport(long number) {
        return with(new ReportFault.ReportDoubled(number, Optional.empty(), OptionalInt.empty()));
    }

    /** Delivers the report of one kind with this number twice. */
    public RunFaults doublingReport(long number, ReportKind kind) {
        return with(new ReportFault.ReportDoubled(number, Optional.of(kind), OptionalInt.empty()));
    }

    /** Hands on the report with this number late; see {@link #delayingReport(long, ReportKind, int)}. */
    public RunFaults delayingReport(long number, int byReports) {
        return with(new ReportFault.ReportDelayed(number, Optional.empty(), OptionalInt.empty(), byReports));
    }

    /**
     * Delivers the report of one kind with this number late: after the given number of later reports of any kind, and at the
     * latest when the last mesh over its device closes.
     *
     * <p>{@linkplain #onDevice On a device} only later reports of that device are counted. No report is delayed while no mesh over
     * its device is open.
     *
     * @param byReports the number of later reports that arrive before it, at least 1
     */
    public RunFaults delayingReport(long number, ReportKind kind, int byReports) {
        return with(new ReportFault.ReportDelayed(number, Optional.of(kind), OptionalInt.empty(), byReports));
    }

    /**
     * Delivers the reports of each device in this order: {@code (3, 1, 2)} gathers three, and delivers the third, the first and
     * the second.
     *
     * <p>Reports of different devices keep their order, so threads on different devices do not matter. Before a close begins,
     * the gathered reports are delivered in this order as far as possible. While no mesh over the device is open, no reports
     * are gathered. Lost reports do not count here; doubled reports count twice.
     */
    public RunFaults reorderingReports(int... order) {
        return with(
                new ReportFault.ReportsReordered(Arrays.stream(order).boxed().toList(), OptionalInt.empty()));
    }

    /**
     * Delivers the reports of each device in a random order, one window at a time; otherwise like {@link #reorderingReports}.
     *
     * @param window the number of reports that are shuffled together, at least 2
     * @param orderSeed the seed of the order, which differs for each device
     */
    public RunFaults shufflingReports(int window, long orderSeed) {
        return with(new ReportFault.ReportsShuffled(window, orderSeed, OptionalInt.empty()));
    }

    /**
     * Limits the preceding fault to a device.
     *
     * @throws IllegalStateException if there is no preceding fault, or it cannot be limited to a device
     */
    public RunFaults onDevice(int device) {
        if (faults.isEmpty()) {
            throw new IllegalStateException("There is no fault to limit to device " + device);
        }
        return withLast(onDevice(last(), device));
    }

    /**
     * Makes the source notice the preceding lost report and report the loss to the listener.
     *
     * @throws IllegalStateException if the fault before it is not a lost report
     */
    public RunFaults noticed() {
        if (!faults.isEmpty() && last() instanceof ReportFault.ReportLost lost) {
            return withLast(new ReportFault.ReportLost(lost.number(), lost.kind(), lost.device(), true));
        }
        throw new IllegalStateException("Only a lost report can be noticed, and there is none at the end of " + this);
    }

    /** Returns this plan with one more fault of the runtime. */
    public RunFaults with(Fault fault) {
        return with(new RunFault.OfRuntime(fault));
    }

    /** Returns this plan with one more fault. */
    RunFaults with(RunFault fault) {
        List<RunFault> more = new ArrayList<>(faults);
        more.add(fault);
        return new RunFaults(more, OptionalLong.empty());
    }

    /** Returns the faults, in the order in which they were added. */
    public List<RunFault> faults() {
        return faults;
    }

    /** Returns whether the plan has no faults. */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    /** Returns the faults that the runtime injects. */
    public FaultPlan ofRuntime() {
        FaultPlan plan = FaultPlan.none();
        for (RunFault fault : faults) {
            if (fault instanceof RunFault.OfRuntime own) {
                plan = plan.with(own.fault());
            }
        }
        return plan;
    }

    /** Returns the faults of reports. */
    public List<ReportFault> ofReports() {
        return faults.stream()
                .filter(ReportFault.class::isInstance)
                .map(ReportFault.class::cast)
                .toList();
    }

    /** Returns this plan without the faults of reports. */
    public RunFaults withoutFaultsOfReports() {
        return new RunFaults(
                faults.stream().filter(RunFault.OfRuntime.class::isInstance).toList(), OptionalLong.empty());
    }

    /** Returns the listener itself unless reports go astray on the way to it. */
    public AllocationListener between(AllocationListener listener) {
        List<ReportFault> ofReports = ofReports();
        return ofReports.isEmpty() ? listener : new FaultyListener(listener, ofReports);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunFaults plan && plan.faults.equals(faults);
    }

    @Override
    public int hashCode() {
        return Objects.hash(faults);
    }

    /** Returns the calls that create this plan, after the seed if it came from one: {@code FaultPlan.none().closingTwice()}. */
    @Override
    public String toString() {
        String calls =
                faults.stream().map(fault -> "." + fault).collect(Collectors.joining("", "FaultPlan.none()", ""));
        return seed.isEmpty()
                ? calls
                : String.format(Locale.ROOT, "FaultPlan.random(%dL) = %s", seed.getAsLong(), calls);
    }

    private RunFault last() {
        return faults.get(faults.size() - 1);
    }

    private RunFaults withLast(RunFault changed) {
        return new RunFaults(faults.subList(0, faults.size() - 1), OptionalLong.empty()).with(changed);
    }

    private static RunFault onDevice(RunFault fault, int device) {
        OptionalInt on = OptionalInt.of(device);
        if (fault instanceof RunFault.OfRuntime own) {
            FaultPlan narrowed = FaultPlan.none().with(own.fault()).onDevice(device);
            return new RunFault.OfRuntime(narrowed.faults().get(0));
        } else if (fault instanceof ReportFault.ReportLost lost) {
            return new ReportFault.ReportLost(lost.number(), lost.kind(), on, lost.noticed());
        } else if (fault instanceof ReportFault.ReportDoubled doubled) {
            return new ReportFault.ReportDoubled(doubled.number(), doubled.kind(), on);
        } else if (fault instanceof ReportFault.ReportDelayed delayed) {
            return new ReportFault.ReportDelayed(delayed.number(), delayed.kind(), on, delayed.byReports());
        } else if (fault instanceof ReportFault.ReportsReordered reordered) {
            return new ReportFault.ReportsReordered(reordered.order(), on);
        }
        ReportFault.ReportsShuffled shuffled = (ReportFault.ReportsShuffled) fault;
        return new ReportFault.ReportsShuffled(shuffled.window(), shuffled.seed(), on);
    }
}
