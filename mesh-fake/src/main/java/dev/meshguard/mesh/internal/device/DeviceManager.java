package dev.meshguard.mesh.internal.device;

import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarner;
import dev.meshguard.mesh.internal.allocation.StrictModeChecks;
import dev.meshguard.mesh.internal.fault.FaultInjector;
import dev.meshguard.mesh.internal.process.RuntimeProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Initialises the devices of the system when meshes are opened, and closes them when the last mesh over them closes.
 *
 * <p>If a device is active when a mesh is opened over it, it keeps the number of command queues and the division of its memory
 * from its first opening. The handle of a mesh covers every device that is active at that moment, so closing one of two root
 * meshes closes the devices of both. Guarded by the lock of the {@link RuntimeProcess}. Source:
 * {@code tt_metal/impl/device/device_manager.cpp} and {@code MeshDevice::ScopedDevices} in
 * {@code tt_metal/distributed/mesh_device.cpp}.
 */
public final class DeviceManager {

    private final int activatedTogether;
    private final FaultInjector faults;
    private final StrictModeChecks misuse;

    /** By the id of the device. */
    private final @Nullable DeviceOpenPeriod[] active;

    /**
     * Creates the manager of a system without initialised devices.
     *
     * @param activatedTogether the number of devices, from 0 on, that are activated together with any one of them
     * @param devices the number of devices
     */
    public DeviceManager(int activatedTogether, int devices, FaultInjector faults, StrictModeChecks misuse) {
        this.activatedTogether = activatedTogether;
        this.faults = faults;
        this.misuse = misuse;
        this.active = new DeviceOpenPeriod[devices];
    }

    /** Activates devices and returns the handle that keeps them, and all others that are active, open. */
    public DeviceHandle open(
            List<Integer> devices, AllocatorConfig config, int numCommandQueues, UnsafeAllocationWarner warning) {
        boolean together = devices.stream().anyMatch(device -> device < activatedTogether);
        List<Integer> missing = new ArrayList<>();
        for (int device = 0; device < active.length; device++) {
            boolean isWanted = devices.contains(device) || (together && device < activatedTogether);
            if (isWanted && active[device] == null) {
                missing.add(device);
            }
        }
        missing.forEach(faults::initialising);
        for (int device : missing) {
            active[device] = new DeviceOpenPeriod(device, config, numCommandQueues, warning, misuse);
        }
        List<DeviceOpenPeriod> covered = new ArrayList<>(active.length);
        for (DeviceOpenPeriod life : active) {
            if (life != null) {
                covered.add(life);
            }
        }
        return new DeviceHandle(covered);
    }

    /** Returns the current open period of a device, if it is initialised. */
    public Optional<DeviceOpenPeriod> openPeriodOf(int device) {
        return Optional.ofNullable(active[device]);
    }

    /** Ends open periods, skips those that another mesh ended, and returns those that it ended. */
    public List<DeviceOpenPeriod> close(List<DeviceOpenPeriod> lives) {
        List<DeviceOpenPeriod> ending = new ArrayList<>(lives.size());
        for (DeviceOpenPeriod life : lives) {
            if (!life.isOver()) {
                ending.add(life);
            }
        }
        List<DeviceOpenPeriod> ended = faults.closingOrder(ending, DeviceOpenPeriod::device);
        for (DeviceOpenPeriod life : ended) {
            life.wipe();
            life.end();
            active[life.device()] = null;
        }
        return ended;
    }
}
