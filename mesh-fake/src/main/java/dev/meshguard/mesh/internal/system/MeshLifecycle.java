package dev.meshguard.mesh.internal.system;

import static dev.meshguard.mesh.runtime.RuntimeDefect.DEVICE_INITIALISED_TWICE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.INITIALISED_BY_DEVICE_AND_MESH;

import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.device.DeviceHandle;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.dispatch.CommandQueues;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Opens one mesh and takes it apart again, in the order of the runtime.
 *
 * <p>Sources: {@code tt_metal/distributed/mesh_device.cpp}, {@code tt_metal/impl/device/device.cpp}.
 */
public final class MeshLifecycle {

    private final MeshContext mesh;
    private final DeviceHandle handle;
    private final CommandQueues queues;
    private final Runnable clearProgramCache;
    private final SystemPrograms systemPrograms;
    private final SystemBuffers systemBuffers;

    public MeshLifecycle(MeshContext mesh, DeviceHandle handle, CommandQueues queues, Runnable clearProgramCache) {
        this.mesh = mesh;
        this.handle = handle;
        this.queues = queues;
        this.clearProgramCache = clearProgramCache;
        this.systemPrograms = new SystemPrograms(mesh);
        this.systemBuffers = new SystemBuffers(mesh);
    }

    /** Returns what keeps the devices of the mesh open. */
    public DeviceHandle handle() {
        return handle;
    }

    /** Makes the mesh count as open; it is closed if {@link #open} fails. */
    public void begin() {
        mesh.state().open();
        handle.hold();
        mesh.subDevices().begin();
    }

    /** Reports the mesh and its devices, and allocates the runtime's own buffers. */
    public void open(MeshShape shape) {
        queues.open(numCommandQueues());
        mesh.reports().listener().meshOpened(mesh.description(shape));
        List<DeviceOpenPeriod> begun = new ArrayList<>();
        for (DeviceOpenPeriod period : mesh.openPeriods()) {
            if (period.announce()) {
                begun.add(period);
            }
        }
        begun.forEach(period -> mesh.reports().listener().deviceOpened(period.device()));
        if (mesh.isRoot() && mesh.reports().has(INITIALISED_BY_DEVICE_AND_MESH)) {
            mesh.devices().forEach(systemBuffers::allocateOn);
        }
        allocateForTheRuntime(begun);
        if (mesh.reports().has(DEVICE_INITIALISED_TWICE)) {
            systemBuffers.forget();
            systemPrograms.forget(begun);
            allocateForTheRuntime(begun);
        }
    }

    private void allocateForTheRuntime(List<DeviceOpenPeriod> begun) {
        systemPrograms.startOn(begun);
        if (mesh.isRoot()) {
            systemBuffers.allocate();
        }
        systemPrograms.startQueues(numCommandQueues());
    }

    private int numCommandQueues() {
        return mesh.openPeriodOf(mesh.devices().get(0)).numCommandQueues();
    }

    /**
     * Checks that the mesh can be closed.
     *
     * <p>The runtime leaves submeshes open without a word: they keep the devices open, and nothing more is freed on them. Here a
     * warning names each.
     *
     * @throws dev.meshguard.mesh.allocator.MeshRuntimeException if a command queue is in use on another mesh of the family too
     */
    public void requireClosable() {
        queues.requireNoConflict();
        for (MeshContext submesh : queues.openSubmeshes()) {
            LoggerFactory.getLogger("dev.meshguard.mesh.MeshDevice")
                    .warn(
                            "Mesh {} is closed while its submesh {} is open, which keeps its devices open: close submeshes first",
                            mesh.id(),
                            submesh.id());
        }
    }

    /** Does what {@code close_mesh_device} does, and reports it. */
    public void close() {
        mesh.process().faults().closing(mesh.devices());
        if (mesh.reports().has(RuntimeFix.CLEAR_PROGRAM_CACHE_ON_CLOSE)) {
            clearProgramCache.run();
        }
        mesh.reports().listener().meshClosing(mesh.id());
        read(Moment.CLOSE_BEGUN);
        queues.close();
        if (mesh.process().settings().closeOrder() == CloseOrder.SYSTEM_BUFFERS_FIRST) {
            freeWhatIsTheRuntimes();
            wipe();
        } else {
            wipe();
            freeWhatIsTheRuntimes();
        }
        mesh.state().close();
        releaseDevices();
        mesh.reports().listener().meshClosed(mesh.id());
    }

    private void freeWhatIsTheRuntimes() {
        systemPrograms.endQueues();
        systemBuffers.free();
    }

    private void wipe() {
        systemPrograms.endBeforeAllocators(endingDevices());
        if (mesh.reports().has(RuntimeFix.FORCE_CLEANUP_ALL_BUFFERS)) {
            mesh.memory().freeAllSilently();
            if (handle.hasOneHolder()) {
                mesh.openPeriods().forEach(DeviceOpenPeriod::wipe);
            }
        }
        read(Moment.BEFORE_WIPE);
        mesh.memory().wipe();
        endingDevices().forEach(DeviceOpenPeriod::wipe);
        read(Moment.AFTER_WIPE);
    }

    private void releaseDevices() {
        List<DeviceOpenPeriod> ending = endingDevices();
        ending.forEach(DeviceOpenPeriod::wipe);
        systemPrograms.endAfterAllocators(ending);
        if (!ending.isEmpty()) {
            for (DeviceOpenPeriod period : mesh.process().withDevices(manager -> manager.close(ending))) {
                if (period.wasAnnounced()) {
                    mesh.reports().listener().deviceClosed(period.device());
                }
            }
        }
        handle.release();
    }

    private void read(Moment moment) {
        mesh.memory().read(moment, endingDevices()).forEach(mesh.reports().listener()::witnessed);
    }

    /** The devices that close with this mesh: none as long as another mesh holds them. */
    private List<DeviceOpenPeriod> endingDevices() {
        return handle.hasOneHolder() ? handle.covered() : List.of();
    }
}
