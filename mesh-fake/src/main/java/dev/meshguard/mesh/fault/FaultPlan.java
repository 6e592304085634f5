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
 * What goes wrong during a run, and when.
 *
 * <p>A sentence of faults, read from the left. The same plan and the same program make the same run, report for report.
 *
 * <pre>{@code
 * FaultPlan plan = FaultPlan.none()
 *         .failingAllocation(3, BufferType.L1)
 *         .losingReport(2, ReportKind.FREE).onDevice(5);
 * Ttnn ttnn = Ttnn.builder(tracker).faults(plan).build();
 * }</pre>
 *
 * <p>{@link #toString()} is that sentence: it can be pasted into a test, or handed to {@link #parse}. {@link #random} makes one of
 * a seed. An error that a plan brings about has the type and text of the runtime's and carries an {@link InjectedFault};
 * {@code Ttnn.outstandingFaults()} tells which faults have not happened, for a test in which none does proves nothing.
 *
 * <p>Threads: a count goes over all threads, so where several allocate, operate or report at a time it is the scheduler that says
 * which is the third. Narrow a fault {@linkplain #onDevice to a device} that one thread works on and it is that thread's third.
 *
 * <p>Immutable and safe for use by several threads. Two plans are equal when the same things go wrong.
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

    /** Returns the plan of a run in which nothing goes wrong. */
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
     * @throws IllegalArgumentException if it is anything else; the text says where and what could stand there
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
     * Lets the allocation of one memory with this number run out of memory.
     *
     * <p>Whatever asks an allocator for memory counts: a mesh buffer once however many devices it covers, a kernel binary, a
     * buffer of the runtime. What takes none does not: views, circular buffers, buffers of 0 B.
     * {@linkplain #onDevice On a device} those count that lie on it, and a mesh buffer fails as a whole: one allocator serves
     * all devices.
     *
     * <p>The error is the runtime's, {@code Out of Memory: …}, with the figures of the bank as it is; that they leave room is
     * what tells it from a real one, besides the {@link InjectedFault}. The allocator is not asked, so nothing is taken,
     * nothing is reported, and what was being created does not exist.
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
     * Lets the operation of one name with this number throw.
     *
     * <p>Whatever is handed to a command queue is an operation: those of {@code Ttnn} under their own name, such as
     * {@code add}, and workloads, programs, traces, writes, reads and events that are enqueued by hand under the name of the
     * method. It fails where it is handed over, with the result and the programs in place. The result is freed as the exception
     * leaves; programs that were compiled for it stay in the program cache, into which the runtime puts them before it enqueues
     * them ({@code ttnn/api/ttnn/device_operation.hpp}).
     *
     * @param number from 1
     * @throws IllegalArgumentException if the number is not positive
     */
    public FaultPlan failingOperation(long number, String operation) {
        return with(new Fault.OperationFails(number, Optional.of(operation), OptionalInt.empty()));
    }

    /**
     * Lets a device stop answering for good.
     *
     * <p>Its events are what its command queue gets to do: the operations of the meshes it belongs to, whether or not they run
     * a program on it, and the closes of those meshes. The operation at which it stops throws {@code TIMEOUT: device timeout,
     * potential hang detected, the device is unrecoverable}, each later one {@code TIMEOUT: device timeout in fetch queue wait,
     * potential hang detected}: what the runtime says with {@code TT_METAL_OPERATION_TIMEOUT_SECONDS} set; without, it waits
     * for ever (source: {@code tt_metal/impl/dispatch/system_memory_manager.cpp}).
     *
     * <p>Memory is allocated and freed by the host, which asks no device: allocations and frees go on. Closing a mesh over it
     * does all it ever does, and logs what did not answer. Initialising it again throws {@code Device 5 init: failed to
     * initialize FW! Try resetting the board.} (source: {@code tt_metal/impl/device/firmware/risc_firmware_initializer.cpp}).
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

    /** Lets every close of a mesh happen twice, the second time right after the first; the runtime does nothing then. */
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
     * <p>What counts is as for {@link #failingOperation(long, String)}. The result has its memory by then, the programs do not run:
     * the operation ends with the error of a mesh that is used after it was closed.
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
     * Loses the report of one kind with this number: the listener does not get it, and is reported so only if that is
     * {@linkplain #noticed() noticed}.
     *
     * <p>Reports are counted for each buffer and each device: an allocation of a mesh buffer over eight devices makes eight.
     * What is not about a buffer of a device is never lost, doubled or moved: phases, meshes and devices that open and close,
     * owners, what a witness reads, and the notes on frees that the runtime ignored, which it never reports.
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
     * Hands on the report of one kind with this number twice; what counts is as for {@link #losingReport(long, ReportKind)}.
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
     * @param byReports how many later reports overtake it, at least 1
     * @throws IllegalArgumentException if a number is not positive
     */
    public FaultPlan delayingReport(long number, int byReports) {
        return with(new Fault.ReportDelayed(number, Optional.empty(), OptionalInt.empty(), byReports));
    }

    /**
     * Hands on the report of one kind with this number late: after so many later reports of any kind, and at the latest when the last
     * mesh over its device is closed.
     *
     * <p>What counts is as for {@link #losingReport(long, ReportKind)}. {@linkplain #onDevice On a device} only later reports of that
     * device overtake it. Once no mesh over its device is open nothing is held back.
     *
     * @param number from 1
     * @param byReports how many later reports overtake it, at least 1
     * @throws IllegalArgumentException if a number is not positive
     */
    public FaultPlan delayingReport(long number, ReportKind kind, int byReports) {
        return with(new Fault.ReportDelayed(number, Optional.of(kind), OptionalInt.empty(), byReports));
    }

    /**
     * Hands on the reports of each device in this order: {@code (3, 1, 2)} gathers three, and hands on the third, the first and the
     * second.
     *
     * <p>Reports of different devices do not change places, so threads on different devices do not matter. What a close finds gathered
     * is handed on before it begins, in this order as far as it goes; while no mesh over the device is open nothing is gathered.
     * Reports that were lost do not count here; those that were doubled count twice.
     *
     * @throws IllegalArgumentException if the order does not have each number from 1 on once
     */
    public FaultPlan reorderingReports(int... order) {
        return with(new Fault.ReportsReordered(Arrays.stream(order).boxed().toList(), OptionalInt.empty()));
    }

    /**
     * Hands on the reports of each device in a random order, so many at a time; else as {@link #reorderingReports}.
     *
     * @param window how many reports change places with each other, at least 2
     * @param seed what the order comes from, for each device another
     * @throws IllegalArgumentException if the window is smaller
     */
    public FaultPlan shufflingReports(int window, long seed) {
        return with(new Fault.ReportsShuffled(window, seed, OptionalInt.empty()));
    }

    /**
     * Narrows the fault before it to a device.
     *
     * @throws IllegalStateException if there is none, or it is not about one device of several
     * @throws IllegalArgumentException if the id is negative
     */
    public FaultPlan onDevice(int device) {
        return narrowed("onDevice(" + device + ")", fault -> narrowed(fault, OptionalInt.of(device)));
    }

    /**
     * Lets the source notice that it loses the report before it, and tell the listener so.
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

    /** Returns what goes wrong, in the order in which it was said. */
    public List<Fault> faults() {
        return faults;
    }

    /** Returns whether nothing goes wrong. */
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

    /** Returns the calls that make it, after the seed if it came of one: {@code FaultPlan.none().closingTwice()}. */
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
