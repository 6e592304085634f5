package dev.meshguard.verification.corpus.stage;

import static dev.meshguard.mesh.tensor.TensorDistribution.sharded2d;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.MeshWorkload;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.script.CollectedGarbage;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Runs the steps of a corpus program: it allocates, frees, keeps and drops memory, and records each step.
 *
 * <p>Each call is one step. A program runs twice, in the same steps: once on
 * {@linkplain #ofTheTruth a runtime that reports everything correctly}, and once {@linkplain #ofTheCase on that of the case}.
 * If the runtime rejects a step, the step does nothing, and later steps that need its result do nothing either, as in a correct
 * program.
 */
public final class Stage {

    /** The data that a device binding keeps of a buffer. */
    private record Binding(
            AllocationListener listener, MemoryRequest request, List<Integer> devices, BufferType type, long address) {

        void free() {
            freeOn(devices);
        }

        void freeOn(List<Integer> some) {
            MemoryRequest release = listener.release(request.details());
            for (int device : some) {
                listener.freed(release, device, type, address, Ownership.UNKNOWN);
            }
        }
    }

    private static final CoreRange LEFT = new CoreRange(0, 0, 3, 3);
    private static final CoreRange RIGHT = new CoreRange(4, 0, 7, 3);

    private final Setting setting;
    private final HandleFinder finder;
    private final Clock clock = new Clock();
    private final List<PhysicalMemory> memories = new ArrayList<>();
    private final Map<Long, ReportingProcess> processes = new HashMap<>();
    private final Optional<AllocationTracker> tracker;
    private final Optional<Road> road;
    private final List<Handle> handles = new ArrayList<>();
    private final List<List<Handle>> rows = new ArrayList<>();
    private final List<StagedExpectation> allowances = new ArrayList<>();
    private final Map<MeshDevice, Ttnn> runtimes = new HashMap<>();
    private final AllocationListener plain;
    private boolean checked;
    private boolean ending;

    private Stage(Setting setting, Optional<AllocationTracker> tracker, HandleFinder finder) {
        this.setting = setting;
        this.finder = finder;
        this.tracker = tracker;
        this.road = tracker.map(known -> new Road(known, clock));
        this.plain = newListener();
    }

    /** Returns a stage on which nothing is misreported. */
    public static Stage ofTheTruth(Setting setting) {
        return new Stage(setting.reportingTheTruth(), Optional.empty(), HandleFinder.none());
    }

    /** Returns the stage of the case. */
    public static Stage ofTheCase(Setting setting, AllocationTracker tracker, HandleFinder finder) {
        return new Stage(setting, Optional.of(tracker), finder);
    }

    // Meshes

    /** Opens a mesh of 2x4 devices, or fewer, on a runtime of its own. */
    public Optional<MeshDevice> open(int rows, int columns) {
        return open(runtime(), rows, columns);
    }

    /** Starts a runtime. */
    public Ttnn runtime() {
        return setting.open(newListener());
    }

    /** Starts a runtime in a process of its own. */
    public Ttnn runtimeOfProcess(long id) {
        ReportingProcess process = new ReportingProcess(newListener(), id);
        processes.put(id, process);
        return setting.open(process);
    }

    /** Opens a mesh on a runtime. */
    public Optional<MeshDevice> open(Ttnn runtime, int rows, int columns) {
        return openWith(
                runtime,
                MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(rows, columns))
                        .withTraceRegionSize(65_536)
                        .withL1SmallSize(32_768));
    }

    /** Opens a mesh on a runtime with options. */
    public Optional<MeshDevice> openWith(Ttnn runtime, MeshDeviceOptions options) {
        return step(() -> {
            MeshDevice mesh = runtime.openMeshDevice(options);
            runtimes.put(mesh, runtime);
            return mesh;
        });
    }

    /** Opens a part of a mesh. */
    public Optional<MeshDevice> submesh(MeshDevice mesh, int rows, int columns, int row, int column) {
        return step(() -> {
            MeshDevice part = mesh.createSubmesh(MeshShape.of(rows, columns), MeshCoordinate.of(row, column));
            runtimes.put(part, runtimeOf(mesh));
            return part;
        });
    }

    /** Ends the process of the given number. */
    public void die(long id) {
        does(() -> Optional.ofNullable(processes.get(id)).ifPresent(ReportingProcess::die));
    }

    /** Closes a mesh. */
    public void close(MeshDevice mesh) {
        does(mesh::close);
    }

    /** Lets the queues of a mesh and its parts come to rest, so that they can be closed in any order. */
    public void quiesce(MeshDevice mesh) {
        does(mesh::quiesceDevices);
    }

    /** Clears the program cache and closes the mesh. */
    public void closeClean(MeshDevice mesh) {
        clearCache(mesh);
        close(mesh);
    }

    /** Closes the mesh and lets its object go. */
    public void destroy(MeshDevice mesh) {
        does(mesh::destroy);
    }

    /** Clears the program cache. */
    public void clearCache(MeshDevice mesh) {
        does(mesh::disableAndClearProgramCache);
    }

    // Tensors

    /** Makes a tensor on every device of the mesh. */
    public Handle tensor(MeshDevice mesh, String name, int... shape) {
        return tensor(name, () -> runtimeOf(mesh).empty(TensorShape.of(shape), DataType.BFLOAT16, mesh));
    }

    /** Makes a tensor of which every device of a 2x4 mesh has an eighth. */
    public Handle shardedTensor(MeshDevice mesh, String name, int... shape) {
        return tensor(
                name, () -> runtimeOf(mesh).empty(TensorShape.of(shape), DataType.BFLOAT16, mesh, sharded2d(0, 1)));
    }

    /** Adds two tensors. */
    public Handle add(MeshDevice mesh, String name, Handle a, Handle b) {
        return both(name, a, b, (first, second) -> runtimeOf(mesh).add(first, second));
    }

    /** Multiplies two tensors. */
    public Handle matmul(MeshDevice mesh, String name, Handle a, Handle b) {
        return both(name, a, b, (first, second) -> runtimeOf(mesh).matmul(first, second));
    }

    /** Makes a second handle to a tensor. */
    public Handle alias(Handle of) {
        return alias(of, Tensor::alias);
    }

    /** Makes a view of a tensor in another shape. */
    public Handle reshape(Handle of, int... shape) {
        return alias(of, tensor -> tensor.reshape(TensorShape.of(shape)));
    }

    private Handle alias(Handle of, UnaryOperator<Tensor> making) {
        return of.get(Tensor.class)
                .flatMap(tensor -> step(() -> of.alias(making.apply(tensor), Tensor.class, Tensor::close)))
                .orElse(Handle.NOTHING);
    }

    /** Frees a tensor for all its handles, as {@code ttnn.deallocate} does. */
    public void deallocate(Handle handle) {
        does(() -> handle.get(Tensor.class).ifPresent(tensor -> tensor.deallocate(true)));
        handle.drop();
    }

    /** Asks for a free that does nothing if other handles share the tensor. */
    public void deallocateUnlessShared(Handle handle) {
        does(() -> handle.get(Tensor.class).ifPresent(tensor -> tensor.deallocate(false)));
    }

    // Buffers

    /** Makes a buffer at the same address of every device. */
    public Handle buffer(MeshDevice mesh, String name, BufferType type, long size) {
        return meshBuffer(name, () -> mesh.allocate(BufferConfig.of(type, size, 1_024)), MeshBuffer::deallocate);
    }

    /** Makes a buffer that goes with its handle, as the last reference to it would let it. */
    public Handle closingBuffer(MeshDevice mesh, String name, BufferType type, long size) {
        return meshBuffer(name, () -> mesh.allocate(BufferConfig.of(type, size, 1_024)), MeshBuffer::close);
    }

    /** Points another buffer to where a buffer lies. */
    public Handle view(MeshDevice mesh, String name, Handle of) {
        return of.get(MeshBuffer.class)
                .map(buffer -> meshBuffer(
                        name,
                        () -> mesh.view(BufferConfig.of(buffer.type(), buffer.size(), 1_024), buffer.address()),
                        MeshBuffer::close))
                .orElse(Handle.NOTHING);
    }

    private Handle meshBuffer(String name, Supplier<MeshBuffer> making, Consumer<MeshBuffer> free) {
        return made(name, MeshBuffer.class, making, free);
    }

    /** Makes a buffer on one device. */
    public Handle onDevice(MeshDevice mesh, int device, String name, BufferType type, long size) {
        return made(
                name,
                Buffer.class,
                () -> mesh.allocateOn(device, BufferConfig.of(type, size, 1_024)),
                Buffer::deallocate);
    }

    /**
     * Says that these are one thing to the program, one for each device.
     *
     * <p>Buffers of one step are so without saying.
     */
    public void row(List<Handle> siblings) {
        rows.add(List.copyOf(siblings));
    }

    /** Frees and forgets. */
    public void free(Handle handle) {
        does(handle::free);
    }

    /** Frees, but keeps the object. */
    public void freeAndKeep(Handle handle) {
        does(handle::freeAndKeep);
    }

    /** Frees and forgets in the given order. */
    public void free(Handle... some) {
        Arrays.stream(some).forEach(this::free);
    }

    /** Forgets without freeing. */
    public void drop(Handle handle) {
        drop(List.of(handle));
    }

    /** Forgets all of these without freeing; where a runtime gives back what was collected, they are collected now. */
    public void drop(List<Handle> some) {
        List<WeakReference<Object>> dropped = some.stream().map(Handle::watch).toList();
        does(() -> some.forEach(Handle::drop));
        if (setting.releasesWhatIsCollected()) {
            CollectedGarbage.collect(dropped);
        }
    }

    // Programs

    /** Runs a program that is not cached, with circular buffers. */
    public Handle workload(MeshDevice mesh, String name, long... circularBuffers) {
        return made(
                name,
                MeshWorkload.class,
                () -> {
                    Program program = runtimeOf(mesh).createProgram(name).addKernel(3);
                    for (long size : circularBuffers) {
                        program.addCircularBuffer(CircularBufferConfig.of(size));
                    }
                    MeshWorkload workload = runtimeOf(mesh).createMeshWorkload().addProgram(program);
                    try {
                        mesh.enqueueMeshWorkload(workload);
                    } catch (MeshRuntimeException refused) {
                        workload.close();
                        throw refused;
                    }
                    return workload;
                },
                MeshWorkload::close);
    }

    /** Captures a trace. */
    public Optional<TraceId> capture(MeshDevice mesh, long size) {
        Optional<TraceId> begun = step(() -> mesh.beginMeshTrace(0));
        return begun.flatMap(trace -> step(() -> {
            mesh.endMeshTrace(0, trace, size);
            return trace;
        }));
    }

    /** Replays a trace. */
    public void replay(MeshDevice mesh, TraceId trace) {
        does(() -> mesh.replayMeshTrace(0, trace, Blocking.BLOCKING));
    }

    /** Releases a trace. */
    public void release(MeshDevice mesh, TraceId trace) {
        does(() -> mesh.releaseMeshTrace(trace));
    }

    /** Divides the mesh, makes a buffer in one part, frees it unless it is to be kept, and joins the parts again. */
    public Handle inSubDevice(MeshDevice mesh, String name, Runnable meanwhile) {
        Optional<SubDeviceManagerId> manager = divide(mesh);
        if (manager.isEmpty()) {
            return Handle.NOTHING;
        }
        Handle local = local(mesh, name, 0);
        meanwhile.run();
        free(local);
        does(mesh::clearLoadedSubDeviceManager);
        does(() -> mesh.removeSubDeviceManager(manager.get()));
        return local;
    }

    /** Divides each device of the mesh into two sub-devices, each with an allocator of its own, and loads that. */
    public Optional<SubDeviceManagerId> divide(MeshDevice mesh) {
        Optional<SubDeviceManagerId> manager =
                step(() -> mesh.createSubDeviceManager(List.of(SubDevice.of(LEFT), SubDevice.of(RIGHT)), 8_192));
        manager.ifPresent(known -> does(() -> mesh.loadSubDeviceManager(known)));
        return manager;
    }

    /** Makes a buffer in the first or the second sub-device. */
    public Handle local(MeshDevice mesh, String name, int subDevice) {
        return meshBuffer(
                name,
                () -> mesh.allocate(BufferConfig.of(BufferType.L1, 16_384, 1_024)
                        .heightSharded(CoreRangeSet.of(subDevice == 0 ? LEFT : RIGHT))
                        .on(new SubDeviceId(subDevice))),
                MeshBuffer::deallocate);
    }

    // Without a mesh

    /** Reports a buffer as a device binding does that knows no mesh. */
    public Handle bound(String name, BufferType type, long address, long size, Integer... devices) {
        return bound(name, AllocationDetails.user(), type, address, size, devices);
    }

    /** Reports a buffer as a device binding does that knows something of it. */
    public Handle bound(
            String name, AllocationDetails details, BufferType type, long address, long size, Integer... devices) {
        return made(
                name,
                Binding.class,
                () -> {
                    MemoryRequest request = plain.request(details);
                    for (int device : devices) {
                        plain.allocated(request, device, type, address, size, Ownership.UNKNOWN);
                    }
                    Binding binding = new Binding(plain, request, List.of(devices), type, address);
                    plain.handleReturned(request, binding);
                    return binding;
                },
                Binding::free);
    }

    /** Frees a buffer of a binding on some of its devices. */
    public void freeOn(Handle handle, Integer... devices) {
        does(() -> handle.get(Binding.class).ifPresent(bound -> bound.freeOn(List.of(devices))));
    }

    /** Ends a process that a binding reported for. */
    public void dieBound(long id) {
        does(() -> plain.processDied(id));
    }

    /** Does something while the source does not listen, and says so. */
    public void untracked(Runnable doing) {
        trackingStops();
        doing.run();
        road.ifPresent(way -> {
            way.deaf(false);
            way.trackingStarted();
        });
    }

    /** From here on the source does not listen any more, and says so. */
    public void trackingStops() {
        road.ifPresent(way -> {
            way.trackingStopped("a user stopped the source");
            way.deaf(true);
        });
    }

    /** Does something of which nobody hears, and nobody notices that. */
    public void unheard(Runnable doing) {
        road.ifPresent(way -> way.deaf(true));
        doing.run();
        road.ifPresent(way -> way.deaf(false));
    }

    /** Tells the tracker something that did not happen. */
    public void unheardByTheTruth(Runnable telling) {
        clock.nextStep();
        road.ifPresent(way -> telling.run());
    }

    // What may stay

    /** Says that what these handles took on behalf of nobody else, or of the program that they are, may stay by an entry of the allowlist. */
    public void allow(Expectation entry, Handle... some) {
        allowances.add(new StagedExpectation(entry, false, List.of(some)));
    }

    /** Says that what the runtime keeps for another run may stay by an entry of the allowlist. */
    public void allowCached(Expectation entry) {
        allowances.add(new StagedExpectation(entry, true, List.of()));
    }

    /** Does something under a label that reports carry. */
    public <T> T labelled(String label, Supplier<T> doing) {
        return tracker.isPresent() ? tracker.get().label(label, doing) : doing.get();
    }

    // Time

    /** Begins a phase. */
    public Scope phase(String name) {
        return plain.phase(new Phase(name));
    }

    /** Makes the check, unless it was made: what is freed later is late. */
    public void check() {
        if (checked) {
            return;
        }
        checked = true;
        clock.nextStep();
        clock.check();
        handles.forEach(Handle::check);
        memories.forEach(PhysicalMemory::check);
        // In this order a guarded test does it: what a search brings about is late.
        tracker.ifPresent(known -> {
            known.checked();
            road().check();
            finder.find(known, this);
        });
    }

    /** Ends the run: the check is made now unless it was made before. */
    public void end() {
        ending = true;
        check();
    }

    /** Returns whether the program is over, so that nothing follows the check. */
    boolean isEnding() {
        return ending;
    }

    // What is known

    /** Returns what the memory did, of each runtime. */
    public List<PhysicalMemory> memories() {
        return memories;
    }

    /** Returns what arrived at the tracker. */
    public Road road() {
        return road.orElseThrow(
                () -> new IllegalStateException("Nothing of this stage goes to a tracker: ask that of the case"));
    }

    /** Returns the handle to what the program took in a step, if it took anything itself. */
    public Optional<Handle> handleOf(int step) {
        return handles.stream().filter(handle -> handle.step() == step).findFirst();
    }

    /** Returns what the program lets stay. */
    public List<StagedExpectation> allowances() {
        return allowances;
    }

    /** Returns the allowlist. */
    public ExpectedBuffers allowed() {
        return new ExpectedBuffers(
                allowances.stream().map(StagedExpectation::entry).toList());
    }

    /** Returns what the program has of everything it took, each with its handle while it keeps that. */
    List<Handle> kept() {
        return handles;
    }

    /** Returns what the program has one of for each device, by the steps in which it took them. */
    public List<List<Integer>> rows() {
        return rows.stream().map(row -> row.stream().map(Handle::step).toList()).toList();
    }

    /** Returns the runtime's setting. */
    public Setting setting() {
        return setting;
    }

    private AllocationListener newListener() {
        if (road.isPresent()) {
            return road.get();
        }
        PhysicalMemory memory = new PhysicalMemory(clock);
        memories.add(memory);
        return memory;
    }

    private Ttnn runtimeOf(MeshDevice mesh) {
        Ttnn runtime = runtimes.get(mesh);
        if (runtime == null) {
            throw new IllegalArgumentException("Mesh " + mesh.id() + " was not opened on this stage");
        }
        return runtime;
    }

    private Handle tensor(String name, Supplier<Tensor> making) {
        return made(name, Tensor.class, making, Tensor::close);
    }

    private Handle both(String name, Handle a, Handle b, BinaryOperator<Tensor> operation) {
        return a.get(Tensor.class)
                .flatMap(first -> b.get(Tensor.class).map(second -> tensor(name, () -> operation.apply(first, second))))
                .orElse(Handle.NOTHING);
    }

    private <T> Handle made(String name, Class<T> type, Supplier<T> making, Consumer<? super T> free) {
        return step(making)
                .map(object -> {
                    Handle handle = Handle.of(clock.step(), name, object, type, free);
                    handles.add(handle);
                    return handle;
                })
                .orElse(Handle.NOTHING);
    }

    private void does(Runnable doing) {
        step(() -> {
            doing.run();
            return true;
        });
    }

    /** A good program handles what the runtime refuses; a crash that was switched on is as final for the step. */
    private <T> Optional<T> step(Supplier<T> doing) {
        clock.nextStep();
        try {
            return Optional.of(doing.get());
        } catch (MeshRuntimeException refused) {
            return Optional.empty();
        } catch (IllegalStateException crash) {
            if (crash.getMessage() != null && crash.getMessage().startsWith("Segmentation fault")) {
                return Optional.empty();
            }
            throw crash;
        }
    }
}
