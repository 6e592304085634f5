package dev.meshguard.mesh.internal.context;

import dev.meshguard.event.MeshDescription;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.device.OpenState;
import dev.meshguard.mesh.internal.memory.MeshMemory;
import dev.meshguard.mesh.internal.memory.SubDeviceManagers;
import dev.meshguard.mesh.internal.memory.TraceResults;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.process.RuntimeProcess;
import dev.meshguard.mesh.internal.report.MeshReports;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The part of a mesh that its queues, traces, programs and buffers see: its lock, memory, reports and configuration.
 *
 * <p>{@link MeshDevice} creates one context and adds what the code under test calls: shape, submeshes, opening and closing. No
 * class below it refers to the mesh device itself. A context does not change, and one mesh has one context, so that contexts can
 * be compared as meshes can.
 *
 * <p>A submesh has its own memory and reports, and shares the process and the lock of its parent. {@link MeshLock} says who holds
 * the lock; {@link #memory()} and the like check it.
 */
@NotSearched
public final class MeshContext {

    private final RuntimeProcess process;
    private final Optional<MeshContext> parent;
    private final int id;
    private final Map<Integer, DeviceOpenPeriod> openPeriods;
    private final OpenState state;
    private final List<Integer> devices;
    private final AllocatorConfig config;
    private final MeshLock lock;
    private final MeshReports reports;
    private final MeshMemory memory;
    private final TraceResults traceResults;

    private MeshContext(
            RuntimeProcess process,
            Optional<MeshContext> parent,
            List<DeviceOpenPeriod> openPeriods,
            MeshLock lock,
            TraceResults traceResults) {
        this.process = process;
        this.parent = parent;
        this.id = process.nextMeshId();
        this.lock = lock;
        this.traceResults = traceResults;
        Map<Integer, DeviceOpenPeriod> byDevice = new LinkedHashMap<>();
        openPeriods.forEach(period -> byDevice.put(period.device(), period));
        this.devices = List.copyOf(byDevice.keySet());
        this.openPeriods = Collections.unmodifiableMap(byDevice);
        this.state = new OpenState(id, openPeriods, process::retiredBecause);
        this.config = openPeriods.get(0).config();
        this.reports = new MeshReports(process.settings(), id, devices, this::isOpenedAgain);
        this.memory = new MeshMemory(id, this.openPeriods, state, devices, config, process, reports);
    }

    /** Returns the context of a mesh without a parent. */
    public static MeshContext root(RuntimeProcess process, List<DeviceOpenPeriod> openPeriods) {
        MeshLock lock = new MeshLock(new WatchedHandles(process.settings().handleRelease()));
        return new MeshContext(process, Optional.empty(), openPeriods, lock, new TraceResults());
    }

    /** Returns the context of a submesh. */
    public MeshContext submesh(List<DeviceOpenPeriod> ofSubmesh) {
        return new MeshContext(process, Optional.of(this), ofSubmesh, lock, traceResults);
    }

    /** Returns the runtime that opened the mesh. */
    public RuntimeProcess process() {
        return process;
    }

    /** Returns whether the mesh has no parent. */
    public boolean isRoot() {
        return parent.isEmpty();
    }

    /** Returns the number of the mesh. */
    public int id() {
        return id;
    }

    /** Returns whether the mesh is open, closed or destroyed. */
    public OpenState state() {
        return state;
    }

    /** Returns how the mesh is reported when it is opened. */
    public MeshDescription description(MeshShape shape) {
        boolean onEveryDevice = process.settings().reporting().reportsCircularBuffersOnEveryDevice();
        String name = shape.grid()
                + (isRoot()
                        ? " mesh (" + architecture().description() + ", "
                                + process.settings().preset().description() + ")"
                        : " submesh");
        MeshDescription description = onEveryDevice
                ? MeshDescription.of(id, name, devices)
                : new MeshDescription(id, name, devices, devices.get(0));
        return parent.map(mesh -> description.withParent(mesh.id))
                .orElseGet(() -> description.withCapacities(memory().capacities()));
    }

    /** Returns the lock of the mesh and its submeshes. */
    public MeshLock lock() {
        return lock;
    }

    /**
     * Acquires the lock of a mesh that has to be open.
     *
     * @throws dev.meshguard.mesh.allocator.MeshRuntimeException if the mesh is closed; the lock is not held then
     */
    public MeshLock acquireOpen() {
        MeshLock held = lock.acquire();
        AllOrNothing.run(state::requireInitialised, held::close);
        return held;
    }

    /** Returns the result of some work under the lock, if the mesh is open. */
    public <T> T whileOpen(Supplier<T> work) {
        try (MeshLock held = acquireOpen()) {
            return work.get();
        }
    }

    /** Works under the lock, if the mesh is open. */
    public void runOpen(Runnable work) {
        try (MeshLock held = acquireOpen()) {
            work.run();
        }
    }

    /** Returns the memory of the mesh; the caller holds the lock. */
    public MeshMemory memory() {
        lock.requireHeld();
        return memory;
    }

    /** Returns what traces of the mesh and of its parents and submeshes write; the caller holds the lock. */
    public TraceResults traceResults() {
        lock.requireHeld();
        return traceResults;
    }

    /** Returns the sub-devices of the mesh; the caller holds the lock. */
    public SubDeviceManagers subDevices() {
        return memory().subDevices();
    }

    /** Returns the reports of the mesh; the caller holds the lock. */
    public MeshReports reports() {
        lock.requireHeld();
        return reports;
    }

    /** Returns the chips of the mesh. */
    public Architecture architecture() {
        return process.architecture();
    }

    /** Returns the compute cores of each device, whose L1 is allocated. */
    public CoreRange computeGrid() {
        return process.computeGrid();
    }

    /** Returns the first address of L1 that may be allocated, from which circular buffers are stacked. */
    public long l1Base() {
        return config.l1().unreservedBase();
    }

    /** Returns the bytes that each device reserves for traces. */
    public long traceRegionSize() {
        return config.dram().traceRegionSize();
    }

    /** Returns the ids of the devices, in row-major order. */
    public List<Integer> devices() {
        return devices;
    }

    /**
     * Checks that a device belongs to the mesh.
     *
     * @throws MeshRuntimeException if it does not
     */
    public void requireDevice(int device) {
        if (!openPeriods.containsKey(device)) {
            throw new MeshRuntimeException("Physical Device ID: %d not found in assigned devices", device);
        }
    }

    /** Returns the period in which a device of the mesh is open. */
    public DeviceOpenPeriod openPeriodOf(int device) {
        return Objects.requireNonNull(openPeriods.get(device));
    }

    /** Returns the periods in which the devices are open, in the order of the devices. */
    public Collection<DeviceOpenPeriod> openPeriods() {
        return openPeriods.values();
    }

    /** Registers the handle of memory. If the option is set, frees the memory after the handle was collected. */
    public <T> T freedWith(T handle, Allocation allocation) {
        try (MeshLock held = lock.acquire()) {
            reports.handleReturned(handle, allocation);
            lock.watch(handle, () -> memory.freeCollected(allocation));
            return handle;
        }
    }

    private boolean isOpenedAgain(int device) {
        return openPeriodOf(device).isOver()
                && process.withDevices(manager -> manager.openPeriodOf(device))
                        .filter(DeviceOpenPeriod::wasAnnounced)
                        .isPresent();
    }
}
