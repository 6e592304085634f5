package dev.meshguard.verification.corpus.faults;

import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.tracker.AllocationListener;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The faults of one run, and their moments.
 *
 * <p>A run takes both sorts: {@code Ttnn.builder(faults.between(listener)).faults(faults.ofRuntime())}.
 *
 * @param ofRuntime the faults that the runtime injects into its own calls
 * @param ofReports the faults of its reports on their way to the listener
 */
public record RunFaults(FaultPlan ofRuntime, List<ReportFault> ofReports) {

    /** Returns the plan without faults. */
    public static RunFaults none() {
        return of(FaultPlan.none());
    }

    /**
     * Returns a plan of one to four faults of any sort, for a run of some dozens of reports on up to eight devices.
     *
     * @param seed the same one gives the same plan, on every machine and version of Java
     */
    public static RunFaults random(long seed) {
        return RandomFaults.of(seed);
    }

    /** Returns a plan of the faults that the runtime injects, without faults of reports. */
    public static RunFaults of(FaultPlan ofRuntime) {
        return new RunFaults(ofRuntime, List.of());
    }

    /** Returns a plan of one fault of reports. */
    public static RunFaults of(ReportFault fault) {
        return none().with(fault);
    }

    RunFaults with(Fault fault) {
        return new RunFaults(ofRuntime.with(fault), ofReports);
    }

    RunFaults with(ReportFault fault) {
        return new RunFaults(
                ofRuntime, Stream.concat(ofReports.stream(), Stream.of(fault)).toList());
    }

    /** Returns whether the plan has no faults. */
    public boolean isEmpty() {
        return ofRuntime.isEmpty() && ofReports.isEmpty();
    }

    /** Returns this plan without the faults of reports. */
    public RunFaults withoutFaultsOfReports() {
        return of(ofRuntime);
    }

    /** Returns the listener itself unless reports go astray on the way to it. */
    public AllocationListener between(AllocationListener listener) {
        return ofReports.isEmpty() ? listener : new FaultyListener(listener, ofReports);
    }

    /** Returns the calls that create the faults: {@code FaultPlan.none().closingTwice().losingReport(3)}. */
    @Override
    public String toString() {
        return ofReports.stream().map(fault -> "." + fault).collect(Collectors.joining("", ofRuntime.toString(), ""));
    }
}
