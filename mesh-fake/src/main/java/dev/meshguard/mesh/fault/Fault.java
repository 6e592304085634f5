package dev.meshguard.mesh.fault;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A fault to inject at run time.
 *
 * <p>Use the methods of {@link FaultPlan}, which also define when the fault happens. {@code toString()} returns that call.
 * Counts begin at 1 and cover everything that one {@code Ttnn} does, in the order of calls. A counted fault happens once. A
 * fault limited to a device counts only events of that device, so threads on other devices do not change its count.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Fault {

    /**
     * An allocation for which there is no memory; see {@link FaultPlan#failingAllocation(long)}.
     *
     * @param number the number among the matching allocations, from 1
     * @param type the memory, or any
     * @param device a device it must lie on, or any
     */
    record AllocationFails(long number, Optional<BufferType> type, OptionalInt device) implements Fault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range, or no allocator allocates the memory
         */
        public AllocationFails {
            requireCount("the number of an allocation", number);
            requireDevice(device);
            if (type.filter(BufferType.SYSTEM_MEMORY::equals).isPresent()) {
                throw new IllegalArgumentException(
                        "Cannot fail an allocation of SYSTEM_MEMORY: no allocator reserves it. Name another memory, or none.");
            }
        }

        @Override
        public String toString() {
            return call("failingAllocation", number, type.map(BufferType::name)) + on(device);
        }
    }

    /**
     * An operation that throws; see {@link FaultPlan#failingOperation(long)}.
     *
     * @param number the number among the matching operations, from 1
     * @param operation its name, or any
     * @param device a device it must run on, or any
     */
    record OperationFails(long number, Optional<String> operation, OptionalInt device) implements Fault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public OperationFails {
            requireCount("the number of an operation", number);
            requireDevice(device);
        }

        @Override
        public String toString() {
            return call("failingOperation", number, operation.map(Quantities::quoted)) + on(device);
        }
    }

    /**
     * A device that stops answering; see {@link FaultPlan#deviceStopsAnswering}.
     *
     * @param device its id
     * @param event which of the device's events, from 1
     */
    record DeviceStops(int device, long event) implements Fault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public DeviceStops {
            requireDevice(OptionalInt.of(device));
            requireCount("the number of an event", event);
        }

        @Override
        public String toString() {
            return InvariantText.of("deviceStopsAnswering(%d, %d)", device, event);
        }
    }

    /**
     * Devices that close in another order; see {@link FaultPlan#closingDevicesInOrder}.
     *
     * @param devices those that close first, in that order; the others follow as ever
     */
    record DevicesCloseInOrder(List<Integer> devices) implements Fault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if there is no device, or one is named twice or cannot be
         */
        public DevicesCloseInOrder {
            devices = List.copyOf(devices);
            devices.forEach(device -> requireDevice(OptionalInt.of(device)));
            if (devices.isEmpty() || new HashSet<>(devices).size() != devices.size()) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot close devices in the order %s: name at least one device, and each once", devices));
            }
        }

        @Override
        public String toString() {
            return devices.stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ", "closingDevicesInOrder(", ")"));
        }
    }

    /** Meshes that are closed twice; see {@link FaultPlan#closingTwice()}. */
    record MeshClosesTwice() implements Fault {

        @Override
        public String toString() {
            return "closingTwice()";
        }
    }

    /**
     * A mesh that is closed while an operation runs on it; see {@link FaultPlan#closingDuringOperation(long)}.
     *
     * @param number which of the operations that fit, from 1
     * @param operation its name, or any
     */
    record MeshClosesDuringOperation(long number, Optional<String> operation) implements Fault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if the number is out of range
         */
        public MeshClosesDuringOperation {
            requireCount("the number of an operation", number);
        }

        @Override
        public String toString() {
            return call("closingDuringOperation", number, operation.map(Quantities::quoted));
        }
    }

    private static String call(String name, long number, Optional<String> what) {
        return InvariantText.of(
                "%s(%d%s)", name, number, what.map(argument -> ", " + argument).orElse(""));
    }

    private static String on(OptionalInt device) {
        return device.isEmpty() ? "" : InvariantText.of(".onDevice(%d)", device.getAsInt());
    }

    private static void requireCount(String what, long count) {
        if (count < 1) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot use %d as %s: it must be 1 or more", count, what));
        }
    }

    private static void requireDevice(OptionalInt device) {
        if (device.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot use %d as the id of a device: it must be 0 or more", device.getAsInt()));
        }
    }
}
