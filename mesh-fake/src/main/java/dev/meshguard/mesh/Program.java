package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Owner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Kernels and the circular buffers they talk through.
 *
 * <p>A program takes memory when it is first enqueued: its kernel binary in DRAM, and its circular buffers in L1, below and
 * outside the allocator. It keeps both until it ends, which is when it is closed or, if it belongs to a workload, when that is.
 *
 * <p>Build it on one thread; enqueuing and closing are safe on any, under the lock of the mesh it was enqueued on. Source:
 * {@code tt_metal/impl/program/program.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Program implements AutoCloseable {

    /** {@code HostMemDeviceCommand::PROGRAM_PAGE_SIZE}. */
    private static final long KERNEL_BINARY_PAGE_SIZE = 2_048;

    private final int id;
    private final String name;
    private final List<CircularBufferConfig> circularBuffers = new ArrayList<>();
    private final List<PlacedCircularBuffer> placed = new ArrayList<>();
    private final List<Allocation> held = new ArrayList<>();
    private final Set<Integer> placedOn = new HashSet<>();
    private final Set<Integer> loadedOn = new HashSet<>();
    private long kernelBinaryPages;
    private @Nullable MeshDevice mesh;
    private @Nullable MeshWorkload workload;
    private @Nullable CircularBufferLayout layout;
    private boolean ended;

    Program(int id, String name) {
        this.id = id;
        this.name = name;
    }

    /** Returns the name under which reports know the program, for example {@code program 7 (add)}. */
    public Owner owner() {
        return Owner.program(String.format(Locale.ROOT, "%d (%s)", id, name));
    }

    /**
     * Adds a kernel.
     *
     * @param binaryPages the pages of 2,048 bytes that its binary takes
     * @return this program
     * @throws IllegalStateException if the program was enqueued before or has ended
     * @throws IllegalArgumentException if the number is negative
     */
    public synchronized Program addKernel(int binaryPages) {
        requireChangeable("a kernel");
        if (binaryPages < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot use %d as the binary pages of a kernel of %s: it must be 0 or more",
                    binaryPages,
                    owner()));
        }
        kernelBinaryPages += binaryPages;
        return this;
    }

    /**
     * Adds a circular buffer above those it has on the same cores.
     *
     * @return this program
     * @throws IllegalStateException if the program was enqueued before or has ended; the real runtime would place all circular
     *     buffers anew
     */
    public synchronized Program addCircularBuffer(CircularBufferConfig circularBuffer) {
        requireChangeable("a circular buffer");
        circularBuffers.add(circularBuffer);
        return this;
    }

    /**
     * Ends the program: its binary is freed and its circular buffers are gone.
     *
     * <p>Does nothing if it has ended.
     *
     * @throws IllegalStateException if the program belongs to a workload that has not ended
     */
    @Override
    public void close() {
        MeshDevice enqueuedOn;
        synchronized (this) {
            if (ended) {
                return;
            }
            if (workload != null) {
                throw new IllegalStateException(String.format(
                        Locale.ROOT,
                        "Cannot close %s: it belongs to a mesh workload. Close the workload instead.",
                        owner()));
            }
            enqueuedOn = mesh;
            if (enqueuedOn == null) {
                ended = true;
                return;
            }
        }
        enqueuedOn.underLock(() -> end(enqueuedOn));
    }

    /** Puts the program into a workload, which it cannot leave. */
    synchronized void moveInto(MeshWorkload newWorkload) {
        if (workload != null || mesh != null || ended) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot add %s to a mesh workload: it has ended, was enqueued by itself, or belongs to another. Create a new program.",
                    owner()));
        }
        workload = newWorkload;
    }

    synchronized long kernelBinarySize() {
        return kernelBinaryPages * KERNEL_BINARY_PAGE_SIZE;
    }

    /** The buffer for a kernel binary: taken from the top, away from the buffers that grow from the bottom. */
    static BufferConfig kernelBinaryBuffer(long size) {
        return BufferConfig.of(BufferType.DRAM, size, KERNEL_BINARY_PAGE_SIZE).taken(AllocationDirection.TOP_DOWN);
    }

    /** Places the circular buffers, without a report, so that a program that does not fit leaves no trace. */
    synchronized CircularBufferLayout layOut(Architecture architecture, CoreRange grid, long l1Base) {
        if (layout == null) {
            layout = CircularBufferLayout.of(id, circularBuffers, architecture, grid, l1Base);
        }
        return layout;
    }

    /** Reports the circular buffers under some devices; called under the lock of the mesh, once for each set of devices. */
    synchronized void placeOn(MeshDevice newMesh, CircularBufferLayout places, List<Integer> devices) {
        mesh = newMesh;
        for (int index = 0; index < circularBuffers.size(); index++) {
            long size = circularBuffers.get(index).size();
            AllocationDetails details =
                    AllocationDetails.circularBuffer(owner()).withExtent(size);
            long address = places.addresses().get(index);
            newMesh.reports().circularBufferAllocated(details, devices, address, size);
            placed.add(new PlacedCircularBuffer(details, devices, address));
        }
    }

    /** Runs the program on one device by itself; called under the lock of the mesh. */
    synchronized void enqueueOn(MeshDevice newMesh, int device) {
        requireRunnableBy(newMesh, null);
        CircularBufferLayout places = layOut(newMesh.architecture(), newMesh.computeGrid(), newMesh.l1Base());
        places.requireRoom(newMesh.memory().lowestOccupiedL1Address(device));
        if (placedOn.add(device)) {
            placeOn(newMesh, places, List.of(device));
        }
        if (kernelBinarySize() > 0 && !loadedOn.contains(device)) {
            AllocationDetails details = AllocationDetails.user().ownedBy(owner());
            held.add(newMesh.memory().allocateOnDevice(device, kernelBinaryBuffer(kernelBinarySize()), details));
            loadedOn.add(device);
        }
    }

    /** Keeps a buffer until the program ends. */
    synchronized void hold(Allocation allocation) {
        held.add(allocation);
    }

    synchronized void requireRunnableBy(MeshDevice newMesh, @Nullable MeshWorkload enqueuing) {
        if (ended) {
            throw new IllegalStateException(
                    String.format(Locale.ROOT, "Cannot enqueue %s: it has ended. Create a new program.", owner()));
        }
        if (workload != enqueuing) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot enqueue %s by itself: it belongs to a mesh workload. Enqueue the workload instead.",
                    owner()));
        }
        if (mesh != null && mesh != newMesh) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot enqueue %s on mesh %d: it was enqueued on mesh %d, whose addresses it uses. Create a new program.",
                    owner(),
                    newMesh.id(),
                    mesh.id()));
        }
    }

    /** What the destructor does, also when the mesh is closed; called under the lock of the mesh. */
    synchronized void end(MeshDevice enqueuedOn) {
        if (ended) {
            return;
        }
        ended = true;
        held.forEach(allocation -> enqueuedOn.memory().free(allocation, Ending.DIED));
        for (PlacedCircularBuffer buffer : placed) {
            enqueuedOn.reports().circularBufferFreed(buffer.details(), buffer.devices(), buffer.address());
        }
        enqueuedOn.reports().listener().ownerEnded(owner());
    }

    synchronized void endUnused() {
        ended = true;
    }

    private void requireChangeable(String addition) {
        if (mesh != null || ended) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot add %s to %s: it was enqueued before or has ended. Create a new program.",
                    addition,
                    owner()));
        }
    }

    /** Returns the name for a person to read. */
    @Override
    public String toString() {
        return owner().toString();
    }

    private record PlacedCircularBuffer(AllocationDetails details, List<Integer> devices, long address) {}
}
