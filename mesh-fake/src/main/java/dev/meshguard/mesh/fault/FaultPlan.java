package dev.meshguard.mesh.fault;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The faults to inject into a run, and their moments.
 *
 * <p>A plan is a sequence of faults. The same plan and the same program produce the same run, report for report.
 *
 * <pre>{@code
 * FaultPlan plan = FaultPlan.none()
 *         .failingAllocation(3, BufferType.L1)
 *         .losingReport(2, ReportKind.FREE).onDevice(5);
 * Ttnn ttnn = Ttnn.builder(tracker).faults(plan).build();
 * }</pre>
 *
 * <p>{@link #toString()} returns the calls that create the plan, for use in a test or as input of {@link #parse}.
 * {@link #random} creates a plan from a seed. An injected error has the type and text of the runtime's error and carries an
 * {@link InjectedFault}. {@code Ttnn.outstandingFaults()} returns the faults that have not happened. Check it, because a test
 * without any fault proves nothing.
 *
 * <p>Threads: a count covers all threads. If several threads allocate, operate or report concurrently, the scheduler determines
 * which event is the third. Limit a fault {@linkplain #onDevice to a device} that only one thread uses to count that thread's
 * events.
 *
 * <p>Immutable and safe for use by several threads. Two plans are equal if they have the same faults.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class FaultPlan {

    private static final FaultPlan NONE = new FaultPlan(List.of(), OptionalLong.empty());

    private final List<Fault> faults;
    private final OptionalLong seed;

    FaultPlan(List<Fault> faults, OptionalLong seed) {
        this.faults = List.copyOf(faults);
        this.seed = seed;
    }

    /** Returns the plan without faults. */
    public static FaultPlan none() {
        return NONE;
    }

    /**
     * Returns a plan of one to four faults of any sort, for a run of some dozens of reports on up to eight devices.
     *
     * @param seed the same one gives the same plan, on every machine and version of Java
     */
    public static FaultPlan random(long seed) {
        return new FaultPlan(RandomFaults.of(seed), OptionalLong.of(seed));
    }

    /**
     * Reads what {@link #toString()} wrote, with or without {@code FaultPlan.none()}, or {@code FaultPlan.random(42)}.
     *
     * @throws IllegalArgumentException if the text is anything else; the message names the position and the accepted texts
     */
    public static FaultPlan parse(String text) {
        return new FaultPlanText(text).read();
    }

    /**
     * Lets the allocation with this number run out of memory; see {@link #failingAllocation(long, BufferType)}.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan failingAllocation(long number) {
        return with(new Fault.AllocationFails(number, Optional.empty(), OptionalInt.empty()));
    }

    /**
     * Makes the allocation of one memory with this number run out of memory.
     *
     * <p>The count includes every request to an allocator: a mesh buffer (once, for any number of devices), a kernel binary, a
     * buffer of the runtime. It excludes what needs no allocator: views, circular buffers, buffers of 0 B.
     * {@linkplain #onDevice On a device} it includes the allocations that cover this device. A mesh buffer fails as a whole,
     * because one allocator serves all devices.
     *
     * <p>The error is the runtime's, {@code Out of Memory: …}, with the current figures of the bank. The free memory in these
     * figures distinguishes it from a real one, besides the {@link InjectedFault}. The allocator is not called: nothing is
     * allocated, nothing is reported, and the object is not created.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive, or no allocator allocates the memory
     */
    public FaultPlan failingAllocation(long number, BufferType type) {
        return with(new Fault.AllocationFails(number, Optional.of(type), OptionalInt.empty()));
    }

    /**
     * Lets the operation with this number throw; see {@link #failingOperation(long, String)}.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan failingOperation(long number) {
        return with(new Fault.OperationFails(number, Optional.empty(), OptionalInt.empty()));
    }

    /**
     * Makes the operation of one name with this number throw.
     *
     * <p>An operation is everything that is enqueued on a command queue. The operations of {@code Ttnn} count under their own
     * name, such as {@code add}. Workloads, programs, traces, writes, reads and events that are enqueued directly count under
     * the name of the method. The operation fails when it is enqueued, after its result and programs were created. The
     * exception frees the result. Programs that were compiled for it remain in the program cache, because the runtime adds them
     * before it enqueues them ({@code ttnn/api/ttnn/device_operation.hpp}).
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan failingOperation(long number, String operation) {
        return with(new Fault.OperationFails(number, Optional.of(operation), OptionalInt.empty()));
    }

    /**
     * Makes a device stop answering for good.
     *
     * <p>Its events are the commands of its queue: the operations of the meshes that include it, with or without a program on
     * it, and the closes of those meshes. The operation at which it stops throws
     * {@code TIMEOUT: device timeout, potential hang detected, the device is unrecoverable}. Each later one throws
     * {@code TIMEOUT: device timeout in fetch queue wait, potential hang detected}. The runtime throws these errors if
     * {@code TT_METAL_OPERATION_TIMEOUT_SECONDS} is set; without it, the runtime waits forever (source:
     * {@code tt_metal/impl/dispatch/system_memory_manager.cpp}).
     *
     * <p>The host allocates and frees memory without the device, so allocations and frees still work. Closing a mesh over the
     * device works as usual and logs what did not answer. Initialising it again throws
     * {@code Device 5 init: failed to initialize FW! Try resetting the board.} (source:
     * {@code tt_metal/impl/device/firmware/risc_firmware_initializer.cpp}).
     *
     * @param device its id
     * @param event the event at which it stops, from 1
     * @throws IllegalArgumentException if a number is out of range
     */
    public FaultPlan deviceStopsAnswering(int device, long event) {
        return with(new Fault.DeviceStops(device, event));
    }

    /**
     * Lets the devices of a mesh close in this order, and those that are not named after them, as ever.
     *
     * @throws IllegalArgumentException if there is no device, or one is named twice or cannot be
     */
    public FaultPlan closingDevicesInOrder(int... devices) {
        return with(new Fault.DevicesCloseInOrder(Arrays.stream(devices).boxed().toList()));
    }

    /** Closes every mesh twice, the second time right after the first; the runtime ignores the second close. */
    public FaultPlan closingTwice() {
        return with(new Fault.MeshClosesTwice());
    }

    /**
     * Closes the mesh of the operation with this number while it runs; see {@link #closingDuringOperation(long, String)}.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan closingDuringOperation(long number) {
        return with(new Fault.MeshClosesDuringOperation(number, Optional.empty()));
    }

    /**
     * Closes the mesh of the operation of one name with this number while it runs.
     *
     * <p>Operations are counted as in {@link #failingOperation(long, String)}. The result is allocated by then; the programs do
     * not run. The operation fails with the error of a mesh that is used after its close.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan closingDuringOperation(long number, String operation) {
        return with(new Fault.MeshClosesDuringOperation(number, Optional.of(operation)));
    }

    /**
     * Loses the report with this number; see {@link #losingReport(long, ReportKind)}.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan losingReport(long number) {
        return with(new Fault.ReportLost(number, Optional.empty(), OptionalInt.empty(), false));
    }

    /**
     * Loses the report of one kind with this number. The listener does not receive it, and learns of the loss only if it is
     * {@linkplain #noticed() noticed}.
     *
     * <p>Reports are counted for each buffer and each device: an allocation of a mesh buffer over eight devices makes eight.
     * Only reports about a buffer of a device are lost, doubled or moved. Excluded are phases, opening and closing of meshes
     * and devices, owners, witness snapshots, and reports of frees that the runtime ignored, which it never reports.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan losingReport(long number, ReportKind kind) {
        return with(new Fault.ReportLost(number, Optional.of(kind), OptionalInt.empty(), false));
    }

    /**
     * Hands on the report with this number twice.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan doublingReport(long number) {
        return with(new Fault.ReportDoubled(number, Optional.empty(), OptionalInt.empty()));
    }

    /**
     * Delivers the report of one kind with this number twice. Reports are counted as in
     * {@link #losingReport(long, ReportKind)}.
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan doublingReport(long number, ReportKind kind) {
        return with(new Fault.ReportDoubled(number, Optional.of(kind), OptionalInt.empty()));
    }

    /**
     * Hands on the report with this number late; see {@link #delayingReport(long, ReportKind, int)}.
     *
     * @param number from 1
     * @param byReports the number of later reports that arrive before it, at least 1
     * @throws IllegalArgumentException if a number is not positive
     */
    public FaultPlan delayingReport(long number, int byReports) {
        return with(new Fault.ReportDelayed(number, Optional.empty(), OptionalInt.empty(), byReports));
    }

    /**
     * Delivers the report of one kind with this number late: after the given number of later reports of any kind, and at the
     * latest when the last mesh over its device closes.
     *
     * <p>Reports are counted as in {@link #losingReport(long, ReportKind)}. {@linkplain #onDevice On a device} only later
     * reports of that device are counted. No report is delayed while no mesh over its device is open.
     *
     * @param number from 1
     * @param byReports the number of later reports that arrive before it, at least 1
     * @throws IllegalArgumentException if a number is not positive
     */
    public FaultPlan delayingReport(long number, ReportKind kind, int byReports) {
        return with(new Fault.ReportDelayed(number, Optional.of(kind), OptionalInt.empty(), byReports));
    }

    /**
     * Delivers the reports of each device in this order: {@code (3, 1, 2)} gathers three, and delivers the third, the first and
     * the second.
     *
     * <p>Reports of different devices keep their order, so threads on different devices do not matter. Before a close begins,
     * the gathered reports are delivered in this order as far as possible. While no mesh over the device is open, no reports
     * are gathered. Lost reports do not count here; doubled reports count twice.
     *
     * @throws IllegalArgumentException if the order does not have each number from 1 on once
     */
    public FaultPlan reorderingReports(int... order) {
        return with(new Fault.ReportsReordered(Arrays.stream(order).boxed().toList(), OptionalInt.empty()));
    }

    /**
     * Delivers the reports of each device in a random order, one window at a time; otherwise like {@link #reorderingReports}.
     *
     * <p>Programs whose threads report to one server have no fixed order: a verdict about them has to hold for any order, and
     * {@link #reorderingReports} tries only one.
     *
     * @param window the number of reports that are shuffled together, at least 2
     * @param seed the seed of the order, which differs for each device
     * @throws IllegalArgumentException if the window is smaller
     */
    public FaultPlan shufflingReports(int window, long seed) {
        return with(new Fault.ReportsShuffled(window, seed, OptionalInt.empty()));
    }

    /**
     * Limits the preceding fault to a device.
     *
     * @throws IllegalStateException if there is no preceding fault, or it cannot be limited to a device
     * @throws IllegalArgumentException if the id is negative
     */
    public FaultPlan onDevice(int device) {
        return narrowed("onDevice(" + device + ")", fault -> narrowed(fault, OptionalInt.of(device)));
    }

    /**
     * Makes the source notice the preceding lost report and report the loss to the listener.
     *
     * @throws IllegalStateException if the fault before it is not a lost report
     */
    public FaultPlan noticed() {
        return narrowed(
                "noticed()",
                fault -> fault instanceof Fault.ReportLost lost
                        ? new Fault.ReportLost(lost.number(), lost.kind(), lost.device(), true)
                        : null);
    }

    /** Returns the faults, in the order in which they were added. */
    public List<Fault> faults() {
        return faults;
    }

    /** Returns whether the plan has no faults. */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FaultPlan plan && plan.faults.equals(faults);
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

    /** Returns this plan with one more fault, which may be that of another plan. */
    public FaultPlan with(Fault fault) {
        List<Fault> more = new ArrayList<>(faults);
        more.add(fault);
        return new FaultPlan(more, OptionalLong.empty());
    }

    private FaultPlan narrowed(String how, Function<Fault, @Nullable Fault> narrowing) {
        Fault last = faults.isEmpty() ? null : faults.get(faults.size() - 1);
        Fault narrowed = last == null ? null : narrowing.apply(last);
        if (narrowed == null) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot say %s of %s: say it right after a fault that it can narrow, such as %s",
                    how,
                    last == null ? "no fault" : last,
                    how.startsWith("noticed") ? "losingReport(3)" : "failingAllocation(3)"));
        }
        return new FaultPlan(faults.subList(0, faults.size() - 1), OptionalLong.empty()).with(narrowed);
    }

    private static @Nullable Fault narrowed(Fault fault, OptionalInt device) {
        if (fault instanceof Fault.AllocationFails fails) {
            return new Fault.AllocationFails(fails.number(), fails.type(), device);
        } else if (fault instanceof Fault.OperationFails fails) {
            return new Fault.OperationFails(fails.number(), fails.operation(), device);
        } else if (fault instanceof Fault.ReportLost lost) {
            return new Fault.ReportLost(lost.number(), lost.kind(), device, lost.noticed());
        } else if (fault instanceof Fault.ReportDoubled doubled) {
            return new Fault.ReportDoubled(doubled.number(), doubled.kind(), device);
        } else if (fault instanceof Fault.ReportDelayed delayed) {
            return new Fault.ReportDelayed(delayed.number(), delayed.kind(), device, delayed.byReports());
        } else if (fault instanceof Fault.ReportsReordered reordered) {
            return new Fault.ReportsReordered(reordered.order(), device);
        } else if (fault instanceof Fault.ReportsShuffled shuffled) {
            return new Fault.ReportsShuffled(shuffled.window(), shuffled.seed(), device);
        }
        return null;
    }
}
