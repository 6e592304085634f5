package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.device.DeviceHandle;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.device.Submeshes;
import dev.meshguard.mesh.internal.dispatch.CommandQueue;
import dev.meshguard.mesh.internal.dispatch.CommandQueues;
import dev.meshguard.mesh.internal.dispatch.MeshTraces;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.system.MeshLifecycle;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.text.InvariantText;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A mesh of devices without hardware, which allocates and reports as the real runtime does and computes nothing.
 *
 * <p><b>What is simulated.</b> Addresses come from a reimplementation of the runtime's allocator, so they equal those of the
 * real device. One allocator serves all devices of the mesh in lock-step. Each device has another allocator for its own
 * buffers; the two do not exclude each other. Programs allocate a kernel binary in DRAM and place circular buffers in L1
 * outside the allocator.
 *
 * <p><b>Closing.</b> {@link #close()} does what {@code close_mesh_device} does, in the same order. It frees the command queues
 * and the other buffers that the runtime allocated for itself, clears the allocators without reporting it, and closes the
 * devices. It does <em>not</em> clear the program cache and does not change tensors, buffers and programs, which stay
 * "allocated". Freeing them later frees nothing. A cleared allocator lists every leak as free. The listener therefore receives
 * snapshots of the allocators before the close starts, before they are cleared, and after it.
 *
 * <p><b>Differences from the real runtime.</b> The listener receives a report of each free that the real runtime silently
 * ignores. A {@linkplain Ttnn.Builder#strict() strict} runtime throws an exception on misuse that the real runtime accepts.
 *
 * <p><b>Lost handles.</b> The mesh does not keep its handles reachable. {@link HandleRelease} decides whether collected handles
 * free their memory.
 *
 * <p>Safe for use by several threads. One lock guards a mesh and its submeshes. Reports are made under it, in the order of the
 * allocations and frees. Sources: {@code tt_metal/distributed/mesh_device.cpp}, {@code tt_metal/impl/device/device.cpp}.
 *
 * @since 0.1
 */
@NotSearched
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshDevice implements AutoCloseable, HistorySource {

    /** The bytes of a tile of 32x32 elements of BFLOAT16. */
    private static final long PAGE_SIZE = 2_048;

    private final OpenMeshes openMeshes;
    private final MeshContext context;
    private final MeshLock lock;
    private final Optional<MeshDevice> parent;
    private final ProgramCache programCache = new ProgramCache(this);
    private final Operations operations = new Operations(this, programCache);
    private final CommandQueues queues;
    private final MeshTraces traces;
    private final MeshLifecycle lifecycle;
    private final List<MeshDevice> submeshes = new ArrayList<>();
    private final Map<Integer, MeshCommandQueue> commandQueues = new HashMap<>();

    private final MeshShape shape;
    private final List<Integer> devices;

    private MeshDevice(
            OpenMeshes openMeshes,
            MeshContext context,
            Optional<MeshDevice> parent,
            DeviceHandle handle,
            MeshShape shape) {
        this.openMeshes = openMeshes;
        this.context = context;
        this.lock = context.lock();
        this.parent = parent;
        this.shape = shape;
        this.devices = context.devices();
        this.queues = new CommandQueues(context, parent.map(mesh -> mesh.queues));
        this.traces = new MeshTraces(context, queues);
        this.lifecycle = new MeshLifecycle(context, handle, queues, programCache::clear);
    }

    /** Creates a mesh that has no parent, and does not open it. */
    static MeshDevice root(OpenMeshes openMeshes, MeshContext context, DeviceHandle handle, MeshShape shape) {
        return new MeshDevice(openMeshes, context, Optional.empty(), handle, shape);
    }

    /** Returns the number of the mesh, which no other mesh of its {@link Ttnn} has; it is not the id of a device. */
    public int id() {
        return context.id();
    }

    /** Returns the number of devices along each dimension. */
    public MeshShape shape() {
        return shape;
    }

    /** Returns the number of devices. */
    public int numDevices() {
        return devices.size();
    }

    /** Returns the ids of the devices, in row-major order. */
    public List<Integer> deviceIds() {
        return devices;
    }

    /**
     * Returns the id of a device.
     *
     * @throws MeshRuntimeException if there is no device at the coordinate
     */
    public int deviceId(MeshCoordinate coordinate) {
        try (MeshLock held = lock.acquire()) {
            return devices.get(coordinate.toLinearIndex(shape));
        }
    }

    /** Returns the chips it is made of. */
    public Architecture architecture() {
        return context.architecture();
    }

    /** Returns the compute cores of each device, whose L1 is allocated. */
    public CoreRange computeGrid() {
        return context.computeGrid();
    }

    /** Returns the mesh that this is a part of, if it is one. */
    public Optional<MeshDevice> parent() {
        return parent;
    }

    /** Returns the parts that were made of this mesh and not destroyed, in that order; closed ones are among them. */
    public List<MeshDevice> submeshes() {
        try (MeshLock held = lock.acquire()) {
            return List.copyOf(submeshes);
        }
    }

    /** Creates a submesh at the first device; see {@link #createSubmesh(MeshShape, MeshCoordinate)}. */
    public MeshDevice createSubmesh(MeshShape submesh) {
        return createSubmeshAt(submesh, Optional.empty());
    }

    /**
     * Creates a mesh of some of the devices of this one.
     *
     * <p>It has its own allocator, command queues and program cache. It therefore allocates the same addresses as this mesh and
     * other submeshes over the same devices, and they can overwrite each other's data. Its memory is divided as that of its
     * first device. The devices stay open until this mesh and all its submeshes are closed.
     *
     * @throws MeshRuntimeException if this is closed, or the submesh does not lie within it
     */
    public MeshDevice createSubmesh(MeshShape submesh, MeshCoordinate offset) {
        return createSubmeshAt(submesh, Optional.of(offset));
    }

    /** Returns the listener that receives its buffers. */
    public AllocationListener listener() {
        return context.process().settings().listener();
    }

    /**
     * Returns the history of its tracker so far, which has the buffers of other meshes with the same tracker too.
     *
     * @throws IllegalStateException if its listener is no {@link AllocationTracker}
     */
    @Override
    public AllocationHistory history() {
        if (listener() instanceof AllocationTracker tracker) {
            return tracker.history();
        }
        throw new IllegalStateException(
                "Expecting:\n  " + this + "\nto report to an AllocationTracker, but it reports to a "
                        + listener().getClass().getName() + ", which keeps no history.\nOpen it with"
                        + " Ttnn.create(AllocationTracker.create()), or assert on the tracker behind its listener.");
    }

    /**
     * Returns whether it can be used: it was not closed, and neither were its devices.
     *
     * <p>Closing one of two root meshes closes the devices of both.
     */
    public boolean isOpen() {
        return context.state().isOpen();
    }

    /**
     * Creates an interleaved buffer on all devices, in pages of {@value #PAGE_SIZE} bytes: one tile of
     * {@link dev.meshguard.mesh.tensor.DataType#BFLOAT16}, as a tensor of ttnn has them by default.
     *
     * <p>Use {@link #allocate(BufferConfig)} for other pages, shards or a sub-device.
     *
     * @param bytes the bytes on each device: a multiple of the page
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed
     * @throws IllegalArgumentException if the bytes are 0, negative or not whole pages
     */
    public MeshBuffer allocate(BufferType type, long bytes) {
        if (bytes < 1 || bytes % PAGE_SIZE != 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot allocate %d B of %s: allocate(type, bytes) allocates whole pages of %d B. Ask for a multiple of %d B, or"
                            + " set the page size with allocate(BufferConfig.of(type, bytes, pageSize)).",
                    bytes, type, PAGE_SIZE, PAGE_SIZE));
        }
        return allocate(BufferConfig.of(type, bytes, PAGE_SIZE));
    }

    /**
     * Creates a buffer on all devices, with the same size and address on each. Whether they hold the same contents or a shard
     * each needs no other memory (quirk Q8), so nothing says it here.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed, or this layout of the buffer is not possible
     */
    public MeshBuffer allocate(BufferConfig buffer) {
        return context.whileOpen(() -> meshBuffer(context.memory().allocateOnMesh(buffer, detailsOf(buffer))));
    }

    /**
     * Creates a buffer on all devices at an address that another buffer owns.
     *
     * <p>It allocates no memory. {@link ReportingModel#COMPLETE} does not report it; {@link ReportingModel#TRACKING_BRANCH}
     * does, like any buffer that owns nothing.
     *
     * @throws MeshRuntimeException if the mesh is closed, or this layout of the buffer is not possible
     */
    public MeshBuffer view(BufferConfig buffer, long address) {
        return context.whileOpen(
                () -> meshBuffer(context.memory().viewOn(devices, buffer, address, detailsOf(buffer))));
    }

    /**
     * Creates a buffer on one device, from that device's own allocator.
     *
     * @param device the id of the device
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed or the device does not belong to it
     */
    public Buffer allocateOn(int device, BufferConfig buffer) {
        context.requireDevice(device);
        return context.whileOpen(
                () -> deviceBuffer(context.memory().allocateOnDevice(device, buffer, detailsOf(buffer))));
    }

    /**
     * Creates a buffer on one device at an address that another buffer owns; see {@link #view}.
     *
     * @param device the id of the device
     * @throws MeshRuntimeException if the mesh is closed or the device does not belong to it
     */
    public Buffer viewOn(int device, BufferConfig buffer, long address) {
        context.requireDevice(device);
        return context.whileOpen(
                () -> deviceBuffer(context.memory().viewOn(List.of(device), buffer, address, detailsOf(buffer))));
    }

    /**
     * Frees the memory that the mesh's allocator has allocated at an address, on all devices.
     *
     * <p>The real allocator silently ignores an unknown address; here the listener receives a report.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public void deallocateAddress(BufferType type, long address) {
        context.runOpen(() -> context.memory().freeAddress(type, address));
    }

    /**
     * Returns how full each bank of a memory is, the same for every device of the mesh.
     *
     * @throws MeshRuntimeException if the mesh is closed or the memory is not allocated
     */
    public Statistics statistics(BufferType type) {
        return context.whileOpen(() -> context.memory().statistics(type));
    }

    /**
     * Returns the distribution of the free memory of each kind, the same for every bank of every device of the mesh; empty if
     * the mesh is closed. Budgets are checked against it.
     */
    @Override
    public List<FreeSpace> freeSpace() {
        try (MeshLock held = lock.acquire()) {
            return isOpen() ? context.memory().freeSpace() : List.of();
        }
    }

    /**
     * Returns how full each bank of a sub-device of the active manager is.
     *
     * @throws MeshRuntimeException if the mesh is closed, there is no such sub-device, or it has no memory of its own
     */
    public Statistics statistics(BufferType type, SubDeviceId subDevice) {
        return context.whileOpen(() -> context.memory().statistics(type, subDevice));
    }

    /**
     * Returns the first command queue.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public MeshCommandQueue commandQueue() {
        return commandQueue(0);
    }

    /**
     * Returns a command queue.
     *
     * @throws MeshRuntimeException if there is no queue of this number, or the mesh is closed
     */
    public MeshCommandQueue commandQueue(int id) {
        try (MeshLock held = lock.acquire()) {
            CommandQueue queue = queues.queue(id);
            return commandQueues.computeIfAbsent(id, unused -> new MeshCommandQueue(this, queue));
        }
    }

    /**
     * Waits until the queues of this mesh and of its submeshes have finished their work, and marks them as unused.
     *
     * <p>This allows a mesh and its submeshes to use the same queue in turn, and to be closed one by one. Closed submeshes are
     * skipped.
     *
     * @throws MeshRuntimeException if one of them is closed, has loaded a sub-device manager, or captures a trace
     */
    public void quiesceDevices() {
        try (MeshLock held = context.acquireOpen()) {
            if (!context.subDevices().isDefaultActive()) {
                throw new MeshRuntimeException("Cannot quiesce when non-default sub-device manager is active");
            }
            submeshes().stream()
                    .filter(submesh -> submesh.context.state().isInitialised())
                    .forEach(MeshDevice::quiesceDevices);
            queues.quiesce();
        }
    }

    /**
     * Runs the programs of a workload on the first command queue. The first run allocates their memory.
     *
     * @throws DeviceOutOfMemoryException if there is no room for the kernel binary
     * @throws MeshRuntimeException if the mesh is closed, circular buffers do not fit, the workload was enqueued elsewhere, or
     *     the queue cannot accept it; see {@link MeshCommandQueue#enqueueMeshWorkload(MeshWorkload, Blocking)}
     */
    public void enqueueMeshWorkload(MeshWorkload workload) {
        context.runOpen(() -> commandQueue().enqueueMeshWorkload(workload));
    }

    /**
     * Runs a program on one device by itself, on the first command queue; the first time it takes its memory there, from that
     * device's own allocator.
     *
     * @param device the id of the device
     * @throws DeviceOutOfMemoryException if there is no room for the kernel binary
     * @throws MeshRuntimeException if the mesh is closed, the device does not belong to it, or circular buffers do not fit
     */
    public void enqueueProgram(int device, Program program) {
        context.requireDevice(device);
        context.runOpen(() -> commandQueue().enqueueProgram(device, program));
    }

    /**
     * Begins to capture a trace on a command queue, with the next number of the process.
     *
     * <p>Programs that are enqueued later are recorded and not run, until {@link #endMeshTrace(int, TraceId)}. Buffers can be
     * allocated and freed meanwhile, without a warning even if there is a trace already.
     *
     * @throws MeshRuntimeException if the mesh is closed, there is no such queue, or it captures already
     * @throws IllegalStateException if another queue captures
     */
    public TraceId beginMeshTrace(int queue) {
        return context.whileOpen(() -> traces.begin(queue, Optional.empty()));
    }

    /**
     * Begins to capture a trace of the given number; see {@link #beginMeshTrace(int)}.
     *
     * @throws MeshRuntimeException if the mesh is closed, there is no such queue, it captures already, or the active sub-device
     *     manager has a trace of that number
     * @throws IllegalStateException if another queue captures
     */
    public void beginMeshTrace(int queue, TraceId trace) {
        context.runOpen(() -> traces.begin(queue, Optional.of(trace)));
    }

    /**
     * Ends a capture and writes the trace, as large as the commands of the recorded programs, to all devices.
     *
     * <p>The commands of a device are those of {@link Program#setTraceSize} or of the profiles of operations, once for each
     * execution. The buffer has the size of the device with the most commands. The sum excludes what the runtime adds by
     * itself, such as signals to devices without a program. Set the size of the whole trace if you need the exact bytes.
     *
     * <p>The buffer lies in the trace region or, if the mesh has none, at the top of DRAM. In DRAM no memory above it may have
     * been allocated or freed during the capture. Later allocations count as unsafe, even if this call fails.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed, there is no such queue, it does not capture this trace, the trace
     *     region is too small, or the buffer would lie where the trace's own programs write; the size of a trace that was
     *     rejected counts from then on (quirk Q9)
     * @throws IllegalStateException if the size of the commands of a recorded program is unknown, or no program was recorded
     *     and no size is set; the capture continues
     */
    public void endMeshTrace(int queue, TraceId trace) {
        endMeshTrace(queue, trace, OptionalLong.empty());
    }

    /**
     * Ends a capture with a trace of the given size; see {@link #endMeshTrace(int, TraceId)}.
     *
     * @param rawSize the bytes of the trace before they are rounded up to whole pages, at least 1
     * @throws IllegalArgumentException if the size is not positive
     */
    public void endMeshTrace(int queue, TraceId trace, long rawSize) {
        endMeshTrace(queue, trace, MeshTraces.wholeSize(rawSize));
    }

    private void endMeshTrace(int queue, TraceId trace, OptionalLong rawSize) {
        context.runOpen(() -> operate("endMeshTrace", devices, () -> traces.end(queue, trace, rawSize)));
    }

    /**
     * Runs a captured trace again; it allocates no memory.
     *
     * @throws MeshRuntimeException if the mesh is closed, there is no such queue, the active sub-device manager has no such
     *     trace, or another queue has work on one of its sub-devices
     * @throws IllegalStateException if the capture has not ended or was rejected at the end, or a queue captures
     */
    public void replayMeshTrace(int queue, TraceId trace, Blocking blocking) {
        context.runOpen(() -> operate("replayMeshTrace", devices, () -> traces.replay(queue, trace, blocking)));
    }

    /**
     * Frees a trace of the active sub-device manager; does nothing for any other number.
     *
     * <p>When no trace remains, allocations are safe again.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public void releaseMeshTrace(TraceId trace) {
        context.runOpen(() -> traces.release(trace));
    }

    /**
     * Returns the buffer that keeps a trace of the active sub-device manager, if its capture has ended.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public Optional<MeshBuffer> meshTraceBuffer(TraceId trace) {
        return context.whileOpen(() -> traces.bufferOf(trace).map(kept -> new MeshBuffer(this, kept)));
    }

    /** Returns the bytes of the traces that count against the trace region. */
    public long traceBuffersSize() {
        try (MeshLock held = lock.acquire()) {
            return traces.buffersSize();
        }
    }

    /**
     * Adds a way to divide the devices into sub-devices; {@link #loadSubDeviceManager} makes it the active one.
     *
     * @param subDevices at most 8, which do not intersect
     * @param localL1Size the bytes at the bottom of every core's L1 that each sub-device allocates by itself, rounded up to the
     *     L1 alignment; with 0 they have no memory of their own
     * @throws MeshRuntimeException if the mesh is closed, or the sub-devices cannot be laid out so
     * @throws IllegalArgumentException if the size is negative
     */
    public SubDeviceManagerId createSubDeviceManager(List<SubDevice> subDevices, long localL1Size) {
        return context.whileOpen(() -> context.subDevices().create(subDevices, localL1Size));
    }

    /**
     * Activates a manager: its sub-devices allocate the bottom of L1, and the mesh the rest above it.
     *
     * <p>All command queues count as in use afterwards. Traces that were begun under another manager are not available
     * meanwhile.
     *
     * @throws MeshRuntimeException if the mesh is closed, there is no such manager, sub-devices of the active one have memory
     *     allocated, the mesh has allocated L1 where the sub-devices would allocate, or a trace is captured
     */
    public void loadSubDeviceManager(SubDeviceManagerId manager) {
        context.runOpen(() -> context.memory().load(manager, queues::resetWorkers));
    }

    /** Divides the devices no more: loads the default manager; see {@link #loadSubDeviceManager}. */
    public void clearLoadedSubDeviceManager() {
        context.runOpen(() -> context.memory().load(defaultSubDeviceManagerId(), queues::resetWorkers));
    }

    /**
     * Removes a manager, with its traces.
     *
     * @throws MeshRuntimeException if the mesh is closed, there is no such manager, or it is the active or the default one
     */
    public void removeSubDeviceManager(SubDeviceManagerId manager) {
        context.runOpen(() -> traces.discardAll(context.subDevices().remove(manager)));
    }

    /**
     * Returns the number of the manager that is loaded.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public SubDeviceManagerId activeSubDeviceManagerId() {
        return context.whileOpen(() -> context.subDevices().active().id());
    }

    /**
     * Returns the number of the initial manager of the mesh: one sub-device with the whole grid.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public SubDeviceManagerId defaultSubDeviceManagerId() {
        return context.whileOpen(() -> context.subDevices().initial().id());
    }

    /**
     * Returns the sub-devices of the active manager.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public List<SubDeviceId> subDeviceIds() {
        return context.whileOpen(() -> context.subDevices().active().subDeviceIds());
    }

    /**
     * Returns the number of sub-devices of the active manager.
     *
     * @throws MeshRuntimeException if the mesh is closed
     */
    public int numSubDevices() {
        return subDeviceIds().size();
    }

    /**
     * Returns the lowest address of L1 that the mesh or a sub-device of the active manager has allocated.
     *
     * @param subDevicesAsked the sub-devices to check; all by default
     * @return the address, empty if nothing is allocated there
     * @throws MeshRuntimeException if the mesh is closed or there is no such sub-device
     */
    public OptionalLong lowestOccupiedComputeL1Address(SubDeviceId... subDevicesAsked) {
        return context.whileOpen(() -> context.subDevices().lowestOccupiedComputeL1Address(List.of(subDevicesAsked)));
    }

    /** Ends the programs that are kept: their kernel binaries and circular buffers are gone. */
    public void clearProgramCache() {
        try (MeshLock held = lock.acquire()) {
            context.reports().during(Phase.CACHE_CLEAR, programCache::clear);
        }
    }

    /**
     * Ends the cached programs and disables the cache. Every operation then compiles its own program, which ends with the
     * operation.
     */
    public void disableAndClearProgramCache() {
        try (MeshLock held = lock.acquire()) {
            programCache.disable();
            context.reports().during(Phase.CACHE_CLEAR, programCache::clear);
        }
    }

    /** Returns the number of operations with cached programs. */
    public int numProgramCacheEntries() {
        try (MeshLock held = lock.acquire()) {
            return programCache.size();
        }
    }

    /**
     * Closes the mesh, as {@code ttnn.close_mesh_device} does; see the class description. A second call does nothing.
     *
     * @throws MeshRuntimeException if a command queue is in use here and also on a parent mesh or on a submesh; nothing is
     *     closed then. Call {@link #quiesceDevices} on the larger mesh.
     */
    @Override
    public void close() {
        try (MeshLock held = lock.acquire()) {
            if (context.state().isInitialised()) {
                lifecycle.requireClosable();
                context.reports().during(Phase.CLOSE, lifecycle::close);
                openMeshes.closed(this);
                if (context.process().faults().closesTwice()) {
                    close();
                }
            }
        }
    }

    /**
     * Does the work of the destructor of the real mesh object: closes the mesh if it is open, then ends the programs in its
     * cache.
     *
     * <p>In Python the destructor runs when the last tensor is collected, usually after the close. The binaries are then freed
     * after the close, and the end of the circular buffers is reported nevertheless. Buffers of a destroyed mesh count as not
     * allocated.
     */
    public void destroy() {
        close();
        try (MeshLock held = lock.acquire()) {
            if (context.state().destroy()) {
                parent.ifPresent(mesh -> mesh.submeshes.remove(this));
                queues.leaveFamily();
                programCache.clear();
            }
        }
    }

    /** Opens the mesh: reports it and allocates the runtime's own buffers; on failure, closes the mesh. */
    MeshDevice open() {
        try (MeshLock held = lock.acquire()) {
            lifecycle.begin();
            openMeshes.opened(this);
            AllOrNothing.run(() -> context.reports().during(Phase.OPEN, () -> lifecycle.open(shape)), this::close);
            return this;
        }
    }

    private MeshDevice createSubmeshAt(MeshShape submesh, Optional<MeshCoordinate> offset) {
        try (MeshLock held = lock.acquire()) {
            List<MeshCoordinate> places = Submeshes.coordinatesOf(submesh, offset, shape);
            context.state().requireInitialised();
            context.process().requireInService(() -> "a submesh");
            return openSubmeshes(submesh, List.of(places)).get(0);
        }
    }

    /** Opens submeshes at the given coordinates, or none: if one fails, those opened before it are closed. */
    List<MeshDevice> openSubmeshes(MeshShape submesh, List<List<MeshCoordinate>> allPlaces) {
        try (MeshLock held = lock.acquire()) {
            List<MeshDevice> created = new ArrayList<>();
            Runnable opening = () -> {
                for (List<MeshCoordinate> places : allPlaces) {
                    MeshDevice one = addSubmesh(submesh, places);
                    created.add(one);
                    one.open();
                }
            };
            AllOrNothing.run(opening, () -> created.forEach(MeshDevice::destroy));
            return created;
        }
    }

    /** Makes a mesh of the devices at some places, and does not open it. */
    private MeshDevice addSubmesh(MeshShape submesh, List<MeshCoordinate> places) {
        List<DeviceOpenPeriod> ofSubmesh = places.stream()
                .map(place -> context.openPeriodOf(deviceId(place)))
                .toList();
        MeshDevice created =
                new MeshDevice(openMeshes, context.submesh(ofSubmesh), Optional.of(this), lifecycle.handle(), submesh);
        submeshes.add(created);
        return created;
    }

    /** Hands something over to the command queues of some devices. */
    void operate(String name, List<Integer> on, Runnable work) {
        context.process().faults().operation(name, on, this::close, () -> {
            context.state().requireInitialised();
            work.run();
        });
    }

    Tensor allocateTensor(TensorSpec spec) {
        try (MeshLock held = lock.acquire()) {
            BufferConfig local = BufferConfig.of(
                    spec.memory(), spec.sizeOnDevice(shape.dimensions()), spec.pageSizeOnDevice(shape.dimensions()));
            return Tensor.over(allocate(spec.label().map(local::named).orElse(local)), spec);
        }
    }

    /** Empties the banks of the mesh; see {@link Ttnn#deviceDeallocateBuffers}. */
    void deallocateBuffers() {
        context.runOpen(() -> context.memory().deallocateBuffers());
    }

    void free(Allocation allocation, ReleaseReason ending) {
        try (MeshLock held = lock.acquire()) {
            if (isDestroyed() && context.reports().has(MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES)) {
                context.memory()
                        .crash(
                                allocation,
                                "the mesh object is destroyed, and the buffer frees through a pointer to it");
            }
            context.memory().free(allocation, ending);
        }
    }

    /** Allocates the same address on all devices for an owner that is not a buffer. */
    Allocation allocateFor(Owner owner, BufferConfig buffer) {
        return context.whileOpen(() ->
                context.memory().allocateOnMesh(buffer, AllocationDetails.user().ownedBy(owner)));
    }

    /** Frees memory unless its handle freed it before; a handle in the runtime does not learn of a free by address. */
    void freeIfAllocated(Allocation allocation, ReleaseReason ending) {
        try (MeshLock held = lock.acquire()) {
            if (!allocation.isFreed() || allocation.isFreedByAddress()) {
                free(allocation, ending);
            }
        }
    }

    private Buffer deviceBuffer(Allocation allocation) {
        return context.freedWith(new Buffer(this, allocation), allocation);
    }

    private MeshBuffer meshBuffer(Allocation allocation) {
        return context.freedWith(new MeshBuffer(this, allocation), allocation);
    }

    CommandQueues queues() {
        return queues;
    }

    boolean isDestroyed() {
        return context.state().isDestroyed();
    }

    Operations operations() {
        return operations;
    }

    MeshContext context() {
        return context;
    }

    private static AllocationDetails detailsOf(BufferConfig buffer) {
        AllocationDetails details = AllocationDetails.user();
        return buffer.label().map(details::labelled).orElse(details);
    }

    /** Returns the mesh as the runtime writes it: {@code MeshDevice(2x4 grid, 8 devices)}. */
    @Override
    public String toString() {
        return InvariantText.of("MeshDevice(%s grid, %d devices)", shape.grid(), devices.size());
    }
}
