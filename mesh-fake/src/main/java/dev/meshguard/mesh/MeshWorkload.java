package dev.meshguard.mesh;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.Owner;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.dispatch.EnqueuedWork;
import dev.meshguard.mesh.internal.memory.MeshTrace;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.program.KernelBinary;
import dev.meshguard.mesh.internal.program.OwnedResources;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshCoordinateRange;
import dev.meshguard.mesh.tensor.OperationProfile.ProgramBuffer;
import dev.meshguard.text.InvariantText;
import dev.meshguard.tracker.AllocationListener;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The programs that the devices of a mesh run together, each on a block of devices.
 *
 * <p>When it is first enqueued, it allocates one kernel-binary buffer in DRAM on every device of the mesh, as large as the
 * largest binary of its programs. It keeps the buffer until it is closed.
 *
 * <p>Build it on one thread. Enqueuing and closing are safe on any thread, under the lock of the mesh on which it was enqueued.
 * Source: {@code tt_metal/distributed/mesh_workload.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshWorkload implements AutoCloseable {

    private final IntSupplier nextProgramId;
    private final List<Entry> entries = new ArrayList<>();
    private @Nullable MeshDevice mesh;
    private final OwnedResources holdings = new OwnedResources();
    private @Nullable Owner ownOwner;
    private boolean enqueued;

    MeshWorkload(IntSupplier nextProgramId) {
        this.nextProgramId = nextProgramId;
    }

    /**
     * Adds a program for all devices.
     *
     * @return this workload
     * @throws MeshRuntimeException if there is a program already
     * @throws IllegalStateException if the program or the workload cannot be changed any more
     */
    public MeshWorkload addProgram(Program program) {
        return add(new Entry(Optional.empty(), program));
    }

    /**
     * Adds a program for one device.
     *
     * @return this workload
     * @throws MeshRuntimeException if the device has a program already
     * @throws IllegalStateException if the program or the workload cannot be changed any more
     */
    public MeshWorkload addProgram(MeshCoordinate coordinate, Program program) {
        return addProgram(coordinate, coordinate, program);
    }

    /**
     * Adds a program for a block of devices.
     *
     * @param start the first corner of the block
     * @param end the last corner, included in the block
     * @return this workload
     * @throws MeshRuntimeException if one of the devices has a program already, or the corners do not span a block
     * @throws IllegalStateException if the program or the workload cannot be changed any more
     */
    public MeshWorkload addProgram(MeshCoordinate start, MeshCoordinate end, Program program) {
        return add(new Entry(Optional.of(new MeshCoordinateRange(start, end)), program));
    }

    /**
     * Ends the workload and its programs: the binary is freed and circular buffers end, also if its mesh was closed or
     * destroyed before.
     *
     * <p>Does nothing if it has ended.
     */
    @Override
    public void close() {
        try {
            holdings.end(ReleaseReason.DIED);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns the workload as work for a mesh. */
    EnqueuedWork on(MeshDevice newMesh) {
        return new EnqueuedWork(
                this::isLoaded,
                () -> enqueueOn(newMesh),
                () -> subDeviceOn(newMesh.context()),
                trace -> recordIn(trace, newMesh));
    }

    /** Runs the programs. The first run allocates their memory. Called under the lock of the mesh. */
    private synchronized void enqueueOn(MeshDevice newMesh) {
        if (holdings.haveEnded()) {
            throw new IllegalStateException("Cannot enqueue a mesh workload that has ended. Create a new workload.");
        }
        enqueued = true;
        holdings.visit(newMesh.context());
        holdings.endWith(this, newMesh.context());
        entries.forEach(entry -> entry.requireWithin(newMesh));
        entries.forEach(entry -> entry.program().compileFor(this, newMesh.context()));
        if (mesh != null && mesh != newMesh) {
            throw new MeshRuntimeException("Reusing MeshWorkloads across MeshDevices is currently not supported.");
        }
        List<DeviceOpenPeriod> devices = newMesh.context().reports().circularBufferDevices().stream()
                .map(newMesh.context()::openPeriodOf)
                .toList();
        entries.forEach(entry -> entry.program().place(newMesh.context(), devices, this));
        if (mesh == null) {
            AllOrNothing.run(
                    () -> loadBinaries(newMesh.context()),
                    () -> entries.forEach(entry -> entry.program().withdraw(devices)));
            mesh = newMesh;
        }
    }

    private synchronized boolean isLoaded() {
        return mesh != null || kernelBinarySize() == 0;
    }

    private synchronized SubDeviceId subDeviceOn(MeshContext newMesh) {
        return newMesh.subDevices()
                .subDeviceOf(entries.stream()
                        .flatMap(entry -> entry.program().kernelCores().stream())
                        .toList());
    }

    private synchronized List<Owner> recordIn(MeshTrace trace, MeshDevice newMesh) {
        entries.forEach(entry -> entry.program().recordIn(trace, entry.devicesOf(newMesh)));
        return owners();
    }

    /**
     * Allocates and writes the buffers that a program owns. If that fails, the workload ends, as a program does whose factory
     * throws.
     */
    void allocate(List<ProgramBuffer> buffers, Program program, MeshDevice on) {
        CoreRangeSet cores = CoreRangeSet.of(on.computeGrid());
        Runnable allocation = () -> {
            for (ProgramBuffer buffer : buffers) {
                Allocation allocated = on.context()
                        .memory()
                        .allocateOnMesh(
                                configOf(buffer, cores),
                                AllocationDetails.user()
                                        .ownedBy(program.owner())
                                        .labelled(buffer.name()));
                program.holdings().hold(on.context(), allocated);
                on.context().reports().handleReturned(this, allocated);
                on.queues().queue(0).write(Blocking.NON_BLOCKING);
            }
        };
        AllOrNothing.run(allocation, this::close);
    }

    private static BufferConfig configOf(ProgramBuffer buffer, CoreRangeSet cores) {
        return BufferConfig.of(buffer.type(), buffer.bytesPerCore() * cores.numCores(), buffer.bytesPerCore())
                .heightSharded(cores)
                .named(buffer.name());
    }

    /** Says that the programs are kept by a cache from now on. */
    synchronized void keptBy(String cache, CacheKey key, AllocationListener listener) {
        owners().forEach(owner -> listener.ownerCached(owner, cache, key));
    }

    /** Returns the programs, and itself if it has their binary. */
    private synchronized List<Owner> owners() {
        List<Owner> owners = new ArrayList<>(1);
        entries.forEach(entry -> owners.add(entry.program().owner()));
        if (ownOwner != null) {
            owners.add(ownOwner);
        }
        return owners;
    }

    private synchronized MeshWorkload add(Entry added) {
        if (enqueued || holdings.haveEnded()) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot add %s to a mesh workload that was enqueued before or has ended. Create a new workload.",
                    added.program().owner()));
        }
        for (Entry entry : entries) {
            if (entry.overlaps(added)) {
                throw new MeshRuntimeException(
                        "Program range %s overlaps with the previously added range %s", added.range(), entry.range());
            }
        }
        added.program().moveInto(this);
        entries.add(added);
        holdings.hold(added.program().holdings());
        return this;
    }

    private void loadBinaries(MeshContext newMesh) {
        long size = kernelBinarySize();
        if (size == 0) {
            return;
        }
        List<Allocation> viewsOnMesh = new ArrayList<>();
        Allocation binary = newMesh.memory()
                .allocateKernelBinary(
                        KernelBinary.ofSize(size),
                        AllocationDetails.user().ownedBy(binaryOwner()),
                        entries.stream()
                                .map(entry ->
                                        KernelBinary.ofSize(entry.program().kernelBinarySize()))
                                .toList(),
                        viewsOnMesh);
        newMesh.reports().handleReturned(this, binary);
        holdings.hold(newMesh, binary);
        for (int index = 0; index < entries.size(); index++) {
            entries.get(index).program().holdings().hold(newMesh, viewsOnMesh.get(index));
        }
    }

    private long kernelBinarySize() {
        return entries.stream()
                .mapToLong(entry -> entry.program().kernelBinarySize())
                .max()
                .orElse(0);
    }

    /**
     * Returns the owner of the binary. A binary that several programs share belongs to the workload, which then needs its own
     * name.
     */
    private Owner binaryOwner() {
        if (entries.size() == 1) {
            return entries.get(0).program().owner();
        }
        Owner named = ownOwner;
        if (named == null) {
            named = Owner.program(
                    InvariantText.of("%d (workload of %d programs)", nextProgramId.getAsInt(), entries.size()));
            ownOwner = named;
            holdings.of(named);
        }
        return named;
    }

    private record Entry(Optional<MeshCoordinateRange> devices, Program program) {

        boolean overlaps(Entry other) {
            return devices.isEmpty() || other.devices.isEmpty() || devices.get().intersects(other.devices.get());
        }

        void requireWithin(MeshDevice mesh) {
            devices.ifPresent(range -> range.stream().forEach(mesh::deviceId));
        }

        List<Integer> devicesOf(MeshDevice mesh) {
            return devices.map(range -> range.stream().map(mesh::deviceId).toList())
                    .orElseGet(mesh::deviceIds);
        }

        String range() {
            return devices.map(MeshCoordinateRange::toString).orElse("of the whole mesh");
        }
    }
}
