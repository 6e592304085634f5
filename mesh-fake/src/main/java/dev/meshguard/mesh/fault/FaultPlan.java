package dev.meshguard.mesh.fault;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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
 *         .failingOperation(2, "matmul").onDevice(5);
 * Ttnn ttnn = Ttnn.builder(tracker).faults(plan).build();
 * }</pre>
 *
 * <p>{@link #toString()} returns the calls that create the plan, for use in a test. An injected error has the type and text of
 * the runtime's error and carries an {@link InjectedFault}. {@code Ttnn.outstandingFaults()} returns the faults that have not
 * happened. Check it, because a test without any fault proves nothing.
 *
 * <p>Threads: a count covers all threads. If several threads allocate or operate concurrently, the scheduler determines which
 * event is the third. Limit a fault {@linkplain #onDevice to a device} that only one thread uses to count that thread's
 * events.
 *
 * <p>Immutable and safe for use by several threads. Two plans are equal if they have the same faults.
 *
 * @param faults the faults, in the order in which they were added
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FaultPlan(List<Fault> faults) {

    private static final FaultPlan NONE = new FaultPlan(List.of());

    /** Creates a plan of these faults. */
    public FaultPlan {
        faults = List.copyOf(faults);
    }

    /** Returns the plan without faults. */
    public static FaultPlan none() {
        return NONE;
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
     * Limits the preceding fault to a device.
     *
     * @throws IllegalStateException if there is no preceding fault, or it cannot be limited to a device
     * @throws IllegalArgumentException if the id is negative
     */
    public FaultPlan onDevice(int device) {
        Fault last = faults.isEmpty() ? null : faults.get(faults.size() - 1);
        Fault narrowed = last == null ? null : narrowed(last, OptionalInt.of(device));
        if (narrowed == null) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot say onDevice(%d) of %s: say it right after a fault that it can narrow, such as failingAllocation(3)",
                    device, last == null ? "no fault" : last));
        }
        return new FaultPlan(faults.subList(0, faults.size() - 1)).with(narrowed);
    }

    /** Returns whether the plan has no faults. */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    /** Returns the calls that create this plan: {@code FaultPlan.none().closingTwice()}. */
    @Override
    public String toString() {
        return faults.stream().map(fault -> "." + fault).collect(Collectors.joining("", "FaultPlan.none()", ""));
    }

    /** Returns this plan with one more fault, which may be that of another plan. */
    public FaultPlan with(Fault fault) {
        List<Fault> more = new ArrayList<>(faults);
        more.add(fault);
        return new FaultPlan(more);
    }

    private static @Nullable Fault narrowed(Fault fault, OptionalInt device) {
        if (fault instanceof Fault.AllocationFails fails) {
            return new Fault.AllocationFails(fails.number(), fails.type(), device);
        } else if (fault instanceof Fault.OperationFails fails) {
            return new Fault.OperationFails(fails.number(), fails.operation(), device);
        }
        return null;
    }
}
