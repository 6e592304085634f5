package dev.meshguard.mesh.internal.fault;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.fault.AllocationDecision;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Makes the faults of one runtime happen: counts its allocations, operations and closes, and throws where a {@link FaultPlan} has a fault.
 *
 * <p>{@link FaultPlan} describes what is counted and what is thrown. Without a plan every query only checks an empty list. Safe
 * for use by several threads.
 */
public final class FaultInjector {

    private static final Logger logger = DetailLoggers.of(FaultInjector.class);

    private static final String QUEUE_FULL = "TIMEOUT: device timeout in fetch queue wait, potential hang detected";
    private static final String NO_ANSWER =
            "TIMEOUT: device timeout, potential hang detected, the device is unrecoverable";

    private final List<FaultProgress> faults;
    private final Map<Integer, FaultProgress> stopped = new ConcurrentHashMap<>();
    private final List<AllocationDecision> decisions = new CopyOnWriteArrayList<>();

    public FaultInjector(FaultPlan plan) {
        List<FaultProgress> planned = new ArrayList<>();
        plan.faults().forEach(fault -> planned.add(new FaultProgress(fault, plan)));
        this.faults = List.copyOf(planned);
        if (!plan.isEmpty()) {
            logger.info("Faults of this run: {}", plan);
        }
    }

    /** Returns the faults that have not happened so far. */
    public List<Fault> outstanding() {
        return faults.stream()
                .filter(fault -> !fault.hasHappened())
                .map(FaultProgress::fault)
                .toList();
    }

    /**
     * Called before an allocator is called.
     *
     * @param on the devices of the memory
     * @param full the error of a full memory
     */
    public void allocating(BufferType type, List<Integer> on, Supplier<DeviceOutOfMemoryException> full) {
        FaultProgress due = null;
        for (FaultProgress planned : faults) {
            if (planned.fault() instanceof Fault.AllocationFails fails
                    && fails.type().filter(other -> other != type).isEmpty()
                    && isOn(fails.device(), on)
                    && planned.isDue(fails.number())
                    && due == null) {
                due = planned;
            }
        }
        if (due != null) {
            throw due.explains(full.get());
        }
        for (AllocationDecision given : decisions) {
            Optional<Fault.AllocationFails> decided = given.faultOf(type, on);
            if (decided.isPresent()) {
                throw injected(decided.get()).explains(full.get());
            }
        }
    }

    /** Asks before each allocation, after the plan, until the scope is closed. */
    public Scope decide(AllocationDecision decision) {
        AllocationDecision given = (type, on) -> decision.faultOf(type, on); // Its own object, if given twice.
        decisions.add(given);
        return () -> decisions.remove(given);
    }

    private static FaultProgress injected(Fault decided) {
        FaultProgress planned = new FaultProgress(decided, FaultPlan.none().with(decided));
        planned.happens();
        return planned;
    }

    /**
     * Runs work that is enqueued on a command queue.
     *
     * @param name the name of the operation in the code under test
     * @param on the devices of the operation
     * @param close closes its mesh
     */
    public void operation(String name, List<Integer> on, Runnable close, Runnable work) {
        FaultProgress fails = null;
        FaultProgress closes = null;
        FaultProgress stops = eventOn(on);
        for (FaultProgress planned : faults) {
            if (planned.fault() instanceof Fault.OperationFails failure
                    && isNamed(failure.operation(), name)
                    && isOn(failure.device(), on)
                    && planned.isDue(failure.number())) {
                fails = planned;
            } else if (planned.fault() instanceof Fault.MeshClosesDuringOperation closing
                    && isNamed(closing.operation(), name)
                    && planned.isDue(closing.number())) {
                closes = planned;
            }
        }
        if (closes == null) {
            work.run();
        } else {
            runOnClosedMesh(closes, () -> {
                close.run();
                work.run();
            });
        }
        handOver(name, on, fails, stops);
    }

    /** Called when the close of a mesh begins. */
    public void closing(List<Integer> devices) {
        eventOn(devices);
        devices.stream()
                .filter(stopped::containsKey)
                .forEach(device -> logger.info(
                        "Device {} does not answer to the close of its mesh, which goes on: {}", device, NO_ANSWER));
    }

    /** Told before a device is initialised. */
    public void initialising(int device) {
        FaultProgress stop = stopped.get(device);
        if (stop != null) {
            throw stop.explains(new MeshRuntimeException(
                    "Device %d init: failed to initialize FW! Try resetting the board.", device));
        }
    }

    /**
     * Returns the devices that a mesh releases in the order in which they close.
     *
     * @param id the id of a device
     */
    public <T> List<T> closingOrder(List<T> devices, ToIntFunction<T> id) {
        Optional<FaultProgress> last = faultsOf(Fault.DevicesCloseInOrder.class).reduce((first, second) -> second);
        if (last.isEmpty() || !(last.get().fault() instanceof Fault.DevicesCloseInOrder order)) {
            return devices;
        }
        last.get().happens();
        return devices.stream()
                .sorted(Comparator.comparingInt(device -> {
                    int index = order.devices().indexOf(id.applyAsInt(device));
                    return index < 0 ? Integer.MAX_VALUE : index;
                }))
                .toList();
    }

    /** Returns whether a mesh that was just closed is closed again. */
    public boolean closesTwice() {
        Optional<FaultProgress> twice = faultsOf(Fault.MeshClosesTwice.class).findFirst();
        twice.ifPresent(FaultProgress::happens);
        return twice.isPresent();
    }

    private static void runOnClosedMesh(FaultProgress closes, Runnable work) {
        try {
            work.run();
        } catch (MeshRuntimeException error) {
            throw closes.explains(error);
        }
    }

    private void handOver(String name, List<Integer> on, @Nullable FaultProgress fails, @Nullable FaultProgress stops) {
        if (fails != null) {
            throw fails.explains(new MeshRuntimeException("Operation %s failed: %s", name, fails.fault()));
        }
        if (stops != null) {
            throw stops.explains(new MeshRuntimeException(NO_ANSWER));
        }
        for (int device : on) {
            FaultProgress earlier = stopped.get(device);
            if (earlier != null) {
                throw earlier.explains(new MeshRuntimeException(QUEUE_FULL));
            }
        }
    }

    /** Counts an event of each of some devices, and returns the fault of one that stops at it. */
    private @Nullable FaultProgress eventOn(List<Integer> devices) {
        FaultProgress stops = null;
        for (FaultProgress planned : faults) {
            if (planned.fault() instanceof Fault.DeviceStops stop
                    && devices.contains(stop.device())
                    && planned.isDue(stop.event())) {
                stopped.putIfAbsent(stop.device(), planned);
                stops = planned;
            }
        }
        return stops;
    }

    private Stream<FaultProgress> faultsOf(Class<? extends Fault> kind) {
        return faults.stream().filter(planned -> kind.isInstance(planned.fault()));
    }

    private static boolean isNamed(Optional<String> wanted, String name) {
        return wanted.filter(other -> !other.equals(name)).isEmpty();
    }

    private static boolean isOn(OptionalInt wanted, List<Integer> devices) {
        return wanted.isEmpty() || devices.contains(wanted.getAsInt());
    }
}
