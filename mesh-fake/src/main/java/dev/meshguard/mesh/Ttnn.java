package dev.meshguard.mesh;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.fault.AllocationDecision;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.device.DeviceHandle;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.process.RuntimeProcess;
import dev.meshguard.mesh.internal.process.RuntimeSettings;
import dev.meshguard.mesh.internal.process.SystemBufferSpec;
import dev.meshguard.mesh.internal.tensor.Shapes;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.ClusterType;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.text.InvariantText;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.slf4j.LoggerFactory;

/**
 * A runtime without hardware: it opens meshes, and allocates what real operations allocate, under the names of Python's ttnn.
 *
 * <p>The real {@code ttnn} is a module; this is an object with a listener. Every mesh therefore has a listener, and concurrent
 * tests are independent. State that the real runtime keeps per process, such as the numbers of meshes and programs, belongs to
 * this object.
 *
 * <pre>{@code
 * Ttnn ttnn = Ttnn.create(listener);
 * MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
 * Tensor a = ttnn.empty(TensorShape.of(8, 8, 512, 512), DataType.BFLOAT16, mesh, TensorDistribution.sharded2d(0, 1));
 * Tensor b = ttnn.add(a, a);
 * ttnn.deallocate(b);
 * ttnn.deallocate(a);
 * mesh.disableAndClearProgramCache();
 * ttnn.closeMeshDevice(mesh);
 * }</pre>
 *
 * <p>Where Python has a context manager ({@code create_mesh_device}, {@code manage_device}), Java has try-with-resources: a
 * mesh is closed by its {@code close()}.
 *
 * <p>Operations allocate the same memory as the real ones: the result, a kernel binary and circular buffers. They compute
 * nothing.
 *
 * <p>Safe for use by several threads: opening and closing are guarded by one lock, each mesh by its own.
 *
 * @since 0.1
 */
@NotSearched
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Ttnn {

    /** The name of this source in reports. */
    private static final String SOURCE = "mesh-fake";

    private final RuntimeProcess process;
    private final OpenMeshes openMeshes;

    private Ttnn(RuntimeSettings settings) {
        this.process = new RuntimeProcess(settings);
        this.openMeshes = new OpenMeshes(settings.listener());
        settings.listener().sourceAttached(SOURCE);
    }

    /** Returns a runtime of May 2026 on a T3000, a system of 2x4 Wormhole B0, without defects. */
    public static Ttnn create(AllocationListener listener) {
        return builder(listener).build();
    }

    /** Starts a runtime that differs from that of {@link #create}. */
    public static Builder builder(AllocationListener listener) {
        return new Builder(listener);
    }

    /**
     * Opens a mesh of all devices of the system.
     *
     * @throws IllegalStateException if this was {@linkplain #retire retired}, or a mesh is open and this is strict
     */
    public MeshDevice openMeshDevice() {
        return openMeshDevice(MeshDeviceOptions.defaults());
    }

    /**
     * Opens a mesh of the given shape.
     *
     * @throws MeshRuntimeException if the system has no such mesh
     * @throws IllegalStateException if this was {@linkplain #retire retired}, or a mesh is open and this is strict
     */
    public MeshDevice openMeshDevice(MeshShape shape) {
        return openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(shape));
    }

    /**
     * Opens a mesh.
     *
     * <p>If another root mesh is open, this one is opened too, as in the real runtime, and a warning is logged. Active devices
     * keep the memory division and the queues of the first opening. Two meshes over one device allocate the same addresses and
     * overwrite each other's data, and closing one closes the devices of both. {@link Strictness#STRICT} rejects it.
     *
     * @throws MeshRuntimeException if the system has no such mesh, or its memory cannot be divided as requested
     * @throws DeviceOutOfMemoryException if there is no room for the runtime's own buffers
     * @throws IllegalStateException if this was {@linkplain #retire retired}, or a mesh is open and this is strict
     */
    public MeshDevice openMeshDevice(MeshDeviceOptions options) {
        requireCommandQueues(options.numCommandQueues());
        MeshShape shape = options.meshShape().orElse(process.systemMesh().shape());
        List<Integer> devices = devicesOf(options, shape);
        return root(options, shape, devices).open();
    }

    /**
     * Opens a device as a mesh of one, as {@code ttnn.open_device} does.
     *
     * @throws MeshRuntimeException if its memory cannot be divided as requested
     * @throws IllegalArgumentException if there is no such device
     * @throws IllegalStateException if this was {@linkplain #retire retired}, or the device is open and this is strict
     */
    public MeshDevice openDevice(int device) {
        return createUnitMeshes(List.of(device)).get(0);
    }

    /** Opens devices as meshes of one each; see {@link #createUnitMeshes(List, MeshDeviceOptions)}. */
    public List<MeshDevice> createUnitMeshes(List<Integer> devices) {
        return createUnitMeshes(devices, MeshDeviceOptions.defaults());
    }

    /**
     * Opens devices as meshes of one each.
     *
     * <p>They are submeshes of a mesh that is never opened itself. Their devices close when the last of them closes. Shape and
     * devices of the options are ignored.
     *
     * @return the meshes in the order of the devices
     * @throws MeshRuntimeException if the list is empty, or their memory cannot be divided as requested
     * @throws IllegalArgumentException if there is no such device
     * @throws IllegalStateException if this was {@linkplain #retire retired}, or a mesh is open and this is strict
     */
    public List<MeshDevice> createUnitMeshes(List<Integer> devices, MeshDeviceOptions options) {
        requireCommandQueues(options.numCommandQueues());
        if (devices.isEmpty()) {
            throw new MeshRuntimeException(
                    "Cannot create unit meshes with empty device_ids." + " At least one device ID must be provided");
        }
        MeshShape shape = MeshShape.of(1, devices.size());
        requireKnown(devices, shape);
        MeshDevice parent = root(options, shape, devices);
        List<List<MeshCoordinate>> places = new ArrayList<>();
        for (int place = 0; place < devices.size(); place++) {
            places.add(List.of(MeshCoordinate.of(0, place)));
        }
        return parent.openSubmeshes(MeshShape.of(1, 1), places);
    }

    /** Closes a mesh; a second call does nothing. See {@link MeshDevice} for what closing does and does not do. */
    public void closeMeshDevice(MeshDevice mesh) {
        mesh.close();
    }

    /**
     * Prevents later openings of meshes, because no check would examine them. Open meshes stay open.
     *
     * @param because the reason for the error message, as whole sentences
     */
    public void retire(String because) {
        process.retire(because);
    }

    /** Returns the meshes that were not closed, submeshes too, in the order in which they were opened. */
    public List<MeshDevice> openMeshDevices() {
        return openMeshes.all();
    }

    /**
     * Returns which faults of the plan have not happened so far, in the order of the plan.
     *
     * <p>A fault that is counted may never happen: the run has too few allocations, or does not use the device.
     */
    public List<Fault> outstandingFaults() {
        return process.faults().outstanding();
    }

    /**
     * Calls a decision before each allocation, until the scope is closed.
     *
     * <p>The plan of this runtime has priority: a decision is not called for allocations that the plan fails. Several decisions
     * are called in the order of registration, until one fails the allocation. The error has the type and text of the runtime's
     * error and carries an {@link dev.meshguard.mesh.fault.InjectedFault}.
     */
    public Scope decideAllocations(AllocationDecision decision) {
        return process.faults().decide(decision);
    }

    /**
     * Creates a tensor with undefined contents.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed
     * @throws IllegalArgumentException if this distribution of the tensor is not possible
     */
    public Tensor empty(TensorSpec spec, MeshDevice mesh) {
        return mesh.allocateTensor(spec);
    }

    /** Creates a tensor in tiles in DRAM, whole on every device; see {@link #empty(TensorSpec, MeshDevice)}. */
    public Tensor empty(TensorShape shape, DataType dataType, MeshDevice mesh) {
        return empty(TensorSpec.of(shape, dataType), mesh);
    }

    /** Creates a tensor in tiles in DRAM, spread over the mesh; see {@link #empty(TensorSpec, MeshDevice)}. */
    public Tensor empty(TensorShape shape, DataType dataType, MeshDevice mesh, TensorDistribution distribution) {
        return empty(TensorSpec.of(shape, dataType).distributed(distribution), mesh);
    }

    /**
     * Adds two tensors: the result has their shape and lies where the first one lies.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if a tensor was freed, the mesh is closed, or circular buffers clash with L1 buffers
     * @throws IllegalArgumentException if the tensors do not fit together or the operation has no profile
     */
    public Tensor add(Tensor a, Tensor b) {
        MeshDevice mesh = Operations.meshOf("add", a, b);
        return launch("add", Shapes.ofSum(a.spec(), b.spec(), mesh.shape()), a, b);
    }

    /**
     * Multiplies two tensors as matrices: the result lies in DRAM.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if a tensor was freed, the mesh is closed, or circular buffers clash with L1 buffers
     * @throws IllegalArgumentException if the tensors do not fit together or the operation has no profile
     */
    public Tensor matmul(Tensor a, Tensor b) {
        MeshDevice mesh = Operations.meshOf("matmul", a, b);
        return launch("matmul", Shapes.ofProduct(a.spec(), b.spec(), mesh.shape()), a, b);
    }

    /**
     * Runs any operation that has a profile.
     *
     * <p>It allocates in the order of the real runtime: first the result, then the circular buffers and the kernel binary. If
     * programs of the same operation on tensors of the same specs are cached, it allocates only the result.
     *
     * @param operation the name of its profile
     * @param result the properties of the result
     * @param inputs the input tensors, at least one
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if an input was freed, the mesh is closed, or circular buffers clash with L1 buffers
     * @throws IllegalArgumentException if there is no input, inputs lie on different meshes, or the operation has no profile
     */
    public Tensor launch(String operation, TensorSpec result, Tensor... inputs) {
        return launch(process.settings().profileOf(operation), result, inputs);
    }

    /**
     * Runs an operation of your own, of which only the needs are known; see {@link #launch(String, TensorSpec, Tensor...)}.
     *
     * <p>The {@linkplain OperationProfile#programBuffers() buffers of its program} are allocated after the result, when no
     * program for these tensors is cached. They are freed with the program: by {@link MeshDevice#clearProgramCache()}.
     *
     * @param operation the needs of its programs
     * @param result the properties of the result
     * @param inputs the input tensors, at least one
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if an input was freed, the mesh is closed, circular buffers clash with L1 buffers, or program
     *     buffers would be written while a trace is captured
     * @throws IllegalArgumentException if there is no input, or inputs lie on different meshes
     */
    public Tensor launch(OperationProfile operation, TensorSpec result, Tensor... inputs) {
        MeshDevice mesh = Operations.meshOf(operation.operation(), inputs);
        try {
            return mesh.operations().launch(operation, result, inputs);
        } finally {
            Reference.reachabilityFence(inputs);
        }
    }

    /**
     * Returns a tensor in another shape. If the elements can keep their positions, it shares the memory
     * ({@link Tensor#reshape}). Otherwise it is the result of the operation {@code reshape}, which needs a profile.
     *
     * @param newShape the shape of the whole tensor; the distribution does not change
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the tensor was freed, the shapes have different numbers of elements, or the operation
     *     cannot run
     * @throws IllegalArgumentException if this distribution of the tensor is not possible, or the contents have to be moved and
     *     the operation has no profile
     */
    public Tensor reshape(Tensor tensor, TensorShape newShape) {
        MeshDevice mesh = Operations.meshOf("reshape", tensor);
        return Shapes.canBeSeenAs(tensor.spec(), newShape, mesh.shape())
                ? tensor.reshape(newShape)
                : launch("reshape", tensor.spec().withShape(newShape), tensor);
    }

    /** Moves a tensor within its memory, out of the way of others; see {@link #reallocate(Tensor, BufferType)}. */
    public Tensor reallocate(Tensor tensor) {
        return reallocate(tensor, tensor.spec().memory());
    }

    /**
     * Moves a tensor into newly allocated memory, as the operation {@code move} does.
     *
     * <p>As in the real runtime, the tensor is freed first. The new one may therefore have the same address; then nothing is
     * moved and no program runs. DRAM is filled from below and so compacted downwards, L1 from above and so upwards. If there
     * is no room for the new one, the old one is lost. A shared tensor is not moved; another handle to it is returned.
     *
     * <p>The program needs a kernel binary and circular buffers only if {@code move} has a profile. None of the measured
     * profiles is for {@code move}, so its needs are unknown by default.
     *
     * @param memory the target memory, interleaved over the banks
     * @return the tensor to use instead of the given one
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the tensor was freed, the mesh is closed, or circular buffers clash with L1 buffers
     */
    public Tensor reallocate(Tensor tensor, BufferType memory) {
        if (!tensor.isAllocated()) {
            throw tensor.unusable("Move: Expected input tensor to be allocated" + "\n" + tensor.state());
        }
        MeshDevice mesh = tensor.device();
        try (MeshLock held = mesh.context().lock().acquire()) {
            return tensor.isSoleOwner() ? mesh.operations().move(tensor, memory) : tensor.alias();
        } finally {
            Reference.reachabilityFence(tensor);
        }
    }

    /** Frees a tensor by force: for all handles that share its memory. */
    public void deallocate(Tensor tensor) {
        deallocate(tensor, true);
    }

    /** Frees a tensor; see {@link Tensor#deallocate(boolean)}. */
    public void deallocate(Tensor tensor, boolean force) {
        tensor.deallocate(force);
    }

    /**
     * Clears all banks of a mesh, as {@code ttnn.device.deallocate_buffers} does (quirk Q3).
     *
     * <p>Neither the listener nor the buffers are notified, and the buffers stay allocated. Later allocations may reuse their
     * addresses. Freeing one of them later frees the memory that starts at its address then, possibly that of another buffer.
     * {@link Strictness#STRICT} throws if there are allocations. The devices' own allocators do not change.
     *
     * @throws MeshRuntimeException if the mesh is closed
     * @throws IllegalStateException if the banks have allocations and this is strict
     */
    public void deviceDeallocateBuffers(MeshDevice mesh) {
        mesh.deallocateBuffers();
    }

    /** Begins to capture a trace on the first command queue; see {@link MeshDevice#beginMeshTrace(int)}. */
    public TraceId beginTraceCapture(MeshDevice mesh) {
        return mesh.beginMeshTrace(0);
    }

    /** Ends a capture on the first command queue; see {@link MeshDevice#endMeshTrace(int, TraceId)}. */
    public void endTraceCapture(MeshDevice mesh, TraceId trace) {
        mesh.endMeshTrace(0, trace);
    }

    /** Ends a capture with a trace of the given size; see {@link MeshDevice#endMeshTrace(int, TraceId, long)}. */
    public void endTraceCapture(MeshDevice mesh, TraceId trace, int queue, long rawSize) {
        mesh.endMeshTrace(queue, trace, rawSize);
    }

    /** Runs a captured trace on the first command queue and waits for it; see {@link MeshDevice#replayMeshTrace}. */
    public void executeTrace(MeshDevice mesh, TraceId trace) {
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
    }

    /** Frees a trace; see {@link MeshDevice#releaseMeshTrace}. */
    public void releaseTrace(MeshDevice mesh, TraceId trace) {
        mesh.releaseMeshTrace(trace);
    }

    /** Creates a program without kernels and circular buffers. */
    public Program createProgram(String name) {
        return new Program(process.nextProgramId(), name, process.architecture());
    }

    /** Creates a workload without programs. */
    public MeshWorkload createMeshWorkload() {
        return new MeshWorkload(process::nextProgramId);
    }

    /** Creates a global semaphore in L1; see {@link #createGlobalSemaphore(MeshDevice, CoreRangeSet, BufferType)}. */
    public GlobalSemaphore createGlobalSemaphore(MeshDevice mesh, CoreRangeSet cores) {
        return createGlobalSemaphore(mesh, cores, BufferType.L1);
    }

    /**
     * Creates a semaphore that outlives programs, on the same cores of all devices.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed, there is no core, or the memory is neither L1 nor L1_SMALL
     */
    public GlobalSemaphore createGlobalSemaphore(MeshDevice mesh, CoreRangeSet cores, BufferType memory) {
        return GlobalSemaphore.on(mesh, process.nextGlobalSemaphoreId(), cores, memory);
    }

    private MeshDevice root(MeshDeviceOptions options, MeshShape shape, List<Integer> devices) {
        process.requireInService(() -> requested(shape));
        noteMeshesOver(devices, shape);
        AllocatorConfig config = configOf(options);
        return process.withDevices(manager -> {
            DeviceHandle handle =
                    manager.open(devices, config, options.numCommandQueues(), process.unsafeAllocations());
            List<DeviceOpenPeriod> periods = new ArrayList<>(devices.size());
            for (int device : devices) {
                periods.add(manager.openPeriodOf(device).orElseThrow());
            }
            return MeshDevice.root(openMeshes, MeshContext.root(process, periods), handle, shape);
        });
    }

    private static String requested(MeshShape shape) {
        return "a " + shape.grid() + " mesh";
    }

    /** The handle of a mesh covers every device that is active, so that closing one root mesh closes the devices of all. */
    private void noteMeshesOver(List<Integer> devices, MeshShape shape) {
        for (MeshDevice open : openMeshes.all()) {
            String wanted = requested(shape);
            Optional<Integer> shared =
                    open.deviceIds().stream().filter(devices::contains).findFirst();
            String danger = shared.isPresent()
                    ? InvariantText.of(
                            "device %d belongs to both, and the two would allocate the same addresses and overwrite each other's data",
                            shared.get())
                    : "closing one would close the devices of both";
            if (process.settings().isStrict()) {
                throw new IllegalStateException(InvariantText.of(
                        "Cannot open %s while mesh %d (%s) is open: %s. Close mesh %d first, or take submeshes of one mesh.",
                        wanted, open.id(), open, danger, open.id()));
            }
            LoggerFactory.getLogger(Ttnn.class)
                    .warn(
                            "Opening {} while mesh {} ({}) is open: {}. Active devices keep the memory and the queues they were opened"
                                    + " with.",
                            wanted,
                            open.id(),
                            open,
                            danger);
        }
    }

    private List<Integer> devicesOf(MeshDeviceOptions options, MeshShape shape) {
        List<Integer> chosen = options.physicalDeviceIds();
        if (chosen.isEmpty()) {
            return process.systemMesh().devicesOf(shape);
        }
        if (options.meshShape().isEmpty()) {
            throw new MeshRuntimeException("Mesh shape must be provided when physical device ids are supplied");
        }
        requireKnown(chosen, shape);
        return chosen;
    }

    private void requireKnown(List<Integer> chosen, MeshShape shape) {
        int all = process.systemMesh().shape().meshSize();
        boolean known = chosen.stream().allMatch(device -> device >= 0 && device < all);
        boolean distinct = Set.copyOf(chosen).size() == chosen.size();
        if (!known || !distinct || chosen.size() != shape.meshSize()) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot open a %s mesh on devices %s: name %d different devices out of 0 to %d, in row-major order",
                    shape.grid(), chosen, shape.meshSize(), all - 1));
        }
    }

    private AllocatorConfig configOf(MeshDeviceOptions options) {
        Architecture architecture = process.architecture();
        RuntimePreset preset = process.settings().preset();
        return new AllocatorConfig(
                new AllocatorConfig.Dram(
                        architecture.dramBankCount(),
                        architecture.dramBankSize(),
                        preset.dramUnreservedBase(architecture),
                        architecture.dramAlignment(),
                        options.traceRegionSize()),
                new AllocatorConfig.L1(
                        process.computeGrid().size(),
                        architecture.l1Size(),
                        preset.l1UnreservedBase(architecture),
                        architecture.l1Alignment(),
                        options.l1SmallSize()),
                true);
    }

    private static void requireCommandQueues(int number) {
        if (number < 1 || number > 2) {
            throw new MeshRuntimeException("num_hw_cqs can be between 1 and 2");
        }
    }

    /**
     * A runtime in the making.
     *
     * <p>Not safe for use by several threads.
     *
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final AllocationListener listener;
        private RuntimePreset preset = RuntimePreset.MAY_2026;
        private ClusterType cluster = ClusterType.T3K;
        private MeshShape systemMesh = ClusterType.T3K.systemMesh();
        private final EnumSet<RuntimeDefect> defects = EnumSet.noneOf(RuntimeDefect.class);
        private final EnumSet<RuntimeFix> fixes = EnumSet.noneOf(RuntimeFix.class);
        private Optional<ReportingModel> reporting = Optional.empty();
        private final List<SystemBufferSpec> systemBuffers = new ArrayList<>();
        private final List<SystemProgram> systemPrograms = new ArrayList<>();
        private final Map<String, OperationProfile> operations = new LinkedHashMap<>();
        private CloseOrder closeOrder = CloseOrder.SYSTEM_BUFFERS_FIRST;
        private Strictness strictness = Strictness.LENIENT;
        private HandleRelease handleRelease = HandleRelease.EXPLICIT;
        private FaultPlan faults = FaultPlan.none();

        private Builder(AllocationListener listener) {
            this.listener = listener;
            // As seen on Wormhole B0 in October 2025, in the logs of the allocation server's test_mesh_allocation.py:
            // bfloat16 tensors in tiles, 4 MiB and 0.5 MiB on each device.
            operations(OperationProfile.of("add", 6, 2, 2, 2), OperationProfile.of("matmul", 12, 2, 2, 1));
        }

        /** Chooses the version of the runtime; {@link RuntimePreset#MAY_2026} unless this is called. */
        public Builder preset(RuntimePreset newPreset) {
            this.preset = newPreset;
            return this;
        }

        /**
         * Chooses the system, with its chips, how they lie and how many of their cores compute; a T3000 unless this is called.
         */
        public Builder system(ClusterType product) {
            this.cluster = product;
            this.systemMesh = product.systemMesh();
            return this;
        }

        /**
         * Sets the architecture and keeps the number of chips; {@link Architecture#WORMHOLE_B0} by default.
         *
         * <p>The number of compute cores is that of {@link ClusterType#of}, unless a system of this architecture was set
         * before.
         */
        public Builder architecture(Architecture architecture) {
            if (cluster.architecture() != architecture) {
                this.cluster = ClusterType.of(architecture);
            }
            return this;
        }

        /** Chooses how many devices there are, also more or fewer than the system is sold with; 2x4 unless this is called. */
        public Builder systemMesh(MeshShape shape) {
            this.systemMesh = shape;
            return this;
        }

        /** Adds defects of every mesh; none by default. */
        public Builder defects(RuntimeDefect... more) {
            defects.addAll(Arrays.asList(more));
            return this;
        }

        /** Adds proposed repairs of the runtime; none by default. */
        public Builder fixes(RuntimeFix... more) {
            fixes.addAll(Arrays.asList(more));
            return this;
        }

        /** Sets the reporting model; that of the version by default. */
        public Builder reporting(ReportingModel model) {
            this.reporting = Optional.of(model);
            return this;
        }

        /**
         * Adds a buffer that the runtime allocates on every device when a mesh is opened, and frees when it is closed.
         *
         * <p>None is added by default: the real ones lie outside the allocator.
         *
         * @throws IllegalArgumentException if the size is not positive
         */
        public Builder systemBuffer(Owner owner, BufferType type, long bytes) {
            return systemBuffer(owner, type, bytes, BufferLifetime.SYSTEM);
        }

        /**
         * Adds a buffer that the runtime allocates on every device when a mesh is opened.
         *
         * @param lifetime whether it is freed at close ({@link BufferLifetime#SYSTEM}) or never
         *     ({@link BufferLifetime#PERSISTENT})
         * @throws IllegalArgumentException if the size is not positive or the lifetime is {@link BufferLifetime#USER}
         */
        public Builder systemBuffer(Owner owner, BufferType type, long bytes, BufferLifetime lifetime) {
            if (bytes < 1) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot allocate %d B for %s: a buffer of the runtime has at least 1 B", bytes, owner));
            }
            if (lifetime == BufferLifetime.USER) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot leave the free of a buffer of %s to the code under test: use SYSTEM or PERSISTENT",
                        owner));
            }
            systemBuffers.add(new SystemBufferSpec(owner, type, bytes, lifetime));
            return this;
        }

        /**
         * Adds one of the runtime's own programs and the buffers it owns; see {@link SystemProgram} for when it takes and frees
         * them.
         *
         * <p>None owns anything unless this is called.
         */
        public Builder systemProgram(SystemProgram program) {
            systemPrograms.add(program);
            return this;
        }

        /** Chooses how meshes take themselves apart; {@link CloseOrder#SYSTEM_BUFFERS_FIRST} unless this is called. */
        public Builder closeOrder(CloseOrder order) {
            this.closeOrder = order;
            return this;
        }

        /**
         * Rejects misuse that the real runtime accepts; {@link Strictness#LENIENT} by default.
         *
         * <p>A second free, a use or a free after the end, a free of an unknown address, and a view of freed memory that was not
         * reused cause {@linkplain BufferMisuseException exceptions} that list the buffer's history and call sites. Addresses,
         * and what fits, are those of a lenient run.
         */
        public Builder strict() {
            this.strictness = Strictness.STRICT;
            return this;
        }

        /** Sets the faults to inject at run time; none by default. */
        public Builder faults(FaultPlan plan) {
            this.faults = plan;
            return this;
        }

        /** Sets the treatment of lost handles; {@link HandleRelease#EXPLICIT} by default. */
        public Builder handleRelease(HandleRelease choice) {
            this.handleRelease = choice;
            return this;
        }

        /** Adds operations with known needs, besides {@code add} and {@code matmul} as they were measured on hardware. */
        public Builder operations(OperationProfile... more) {
            for (OperationProfile operation : more) {
                operations.remove(operation.operation());
                operations.put(operation.operation(), operation);
            }
            return this;
        }

        /**
         * Returns the runtime.
         *
         * @throws IllegalArgumentException if the version does not support the architecture
         */
        public Ttnn build() {
            preset.dramUnreservedBase(cluster.architecture());
            return new Ttnn(new RuntimeSettings(
                    listener,
                    preset,
                    cluster,
                    systemMesh,
                    Set.copyOf(defects),
                    Set.copyOf(fixes),
                    reporting.orElse(preset.reporting()),
                    List.copyOf(systemBuffers),
                    List.copyOf(systemPrograms),
                    List.copyOf(operations.values()),
                    closeOrder,
                    strictness,
                    handleRelease,
                    faults));
        }
    }
}
