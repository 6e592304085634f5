package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarning;
import dev.meshguard.mesh.runtime.CoreGrid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices of the system that are initialised.
 *
 * <p>A device that is active when a mesh is opened over it is used as it is: its number of command queues and the division of
 * its memory stay those of the first who opened it. The handle of a mesh covers every device that is active at that moment, so
 * closing one of two root meshes closes the devices of both. Guarded by the lock of the {@link RuntimeProcess}. Source:
 * {@code tt_metal/impl/device/device_manager.cpp} and {@code MeshDevice::ScopedDevices} in
 * {@code tt_metal/distributed/mesh_device.cpp}.
 */
final class DeviceManager {

    private final Set<Integer> activatedTogether;
    private final FaultScript faults;
    private final MisuseGuard misuse;
    private final Map<Integer, DeviceLife> active = new TreeMap<>();

    /**
     * Creates the manager of a system of which nothing is initialised.
     *
     * @param activatedTogether the devices that are activated as soon as one of them is
     */
    DeviceManager(Set<Integer> activatedTogether, FaultScript faults, MisuseGuard misuse) {
        this.activatedTogether = activatedTogether;
        this.faults = faults;
        this.misuse = misuse;
    }

    /** Activates devices and returns the handle that keeps them, and all others that are active, open. */
    DeviceHandle open(
            List<Integer> devices,
            AllocatorConfig config,
            CoreGrid grid,
            int numCommandQueues,
            UnsafeAllocationWarning warning) {
        Collection<Integer> wanted = withThoseActivatedTogether(devices);
        for (int device : wanted) {
            if (!active.containsKey(device)) {
                faults.initialising(device);
            }
        }
        for (int device : wanted) {
            if (!active.containsKey(device)) {
                active.put(device, new DeviceLife(device, config, grid, numCommandQueues, warning, misuse));
            }
        }
        return new DeviceHandle(new ArrayList<>(active.values()));
    }

    /** Returns devices and those that are activated with them, ascending, each once. */
    private Collection<Integer> withThoseActivatedTogether(List<Integer> devices) {
        if (isAscending(devices) && (activatedTogether.isEmpty() || areActivatedTogether(devices))) {
            return devices;
        }
        Set<Integer> all = new TreeSet<>(devices);
        if (!Collections.disjoint(activatedTogether, all)) {
            all.addAll(activatedTogether);
        }
        return all;
    }

    private boolean areActivatedTogether(List<Integer> devices) {
        return devices.size() == activatedTogether.size() && activatedTogether.containsAll(devices);
    }

    private static boolean isAscending(List<Integer> devices) {
        for (int i = 1; i < devices.size(); i++) {
            if (devices.get(i - 1) >= devices.get(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the present life of a device, if it is initialised. */
    Optional<DeviceLife> lifeOf(int device) {
        return Optional.ofNullable(active.get(device));
    }

    /** Ends lives, passes over those that another mesh ended, and returns those that it ended. */
    List<DeviceLife> close(List<DeviceLife> lives) {
        List<DeviceLife> ending = new ArrayList<>(lives.size());
        for (DeviceLife life : lives) {
            if (!life.isOver()) {
                ending.add(life);
            }
        }
        List<DeviceLife> ended = faults.closingOrder(ending);
        for (DeviceLife life : ended) {
            life.wipe();
            life.end();
            active.remove(life.device());
        }
        return ended;
    }
}
