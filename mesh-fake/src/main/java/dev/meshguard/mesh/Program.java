package dev.meshguard.mesh;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.dispatch.EnqueuedWork;
import dev.meshguard.mesh.internal.memory.MeshTrace;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.program.CircularBufferLayout;
import dev.meshguard.mesh.internal.program.KernelBinary;
import dev.meshguard.mesh.internal.program.OwnedResources;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.text.InvariantText;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Kernels and the circular buffers through which they communicate.
 *
 * <p>A program allocates memory when it is first enqueued: its kernel binary in DRAM, and its circular buffers in L1, below and
 * outside the allocator. It keeps both until it ends: when it is closed or, if it belongs to a workload, when the workload is
 * closed. It may outlive its mesh: the end of its circular buffers is reported even then.
 *
 * <p><b>Circular buffers</b> are laid out when the program is first enqueued, and reported once on every device of the program.
 *
 * <p>Build it on one thread. Enqueuing and closing are safe on any thread, under the lock of the mesh on which it is enqueued.
 * Source: {@code tt_metal/impl/program/program.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Program implements AutoCloseable {

    private final int id;
    private final String name;
    private final Architecture architecture;
    private final List<CircularBuffer> circularBuffers = new ArrayList<>();
    private final OwnedResources holdings;
    private final Set<DeviceOpenPeriod> loadedOn = new HashSet<>();
    private final List<CoreRange> kernelCores = new ArrayList<>();
    private long kernelBinaryPages;
    private @Nullable MeshWorkload workload;
    private @Nullable CircularBufferLayout layout;
    private OptionalLong traceSize = OptionalLong.empty();
    private boolean compiled;

    Program(int id, String name, Architecture architecture) {
        this.id = id;
        this.name = name;
        this.architecture = architecture;
        this.holdings = new OwnedResources().of(owner());
    }

    /** Returns the program's name in reports, for example {@code program 7 (add)}. */
    public Owner owner() {
        return Owner.program(InvariantText.of("%d (%s)", id, name));
    }

    /**
     * Adds a kernel.
     *
     * @param binaryPages the pages, of 2,048 bytes each, of its binary
     * @return this program
     * @throws MeshRuntimeException if the program was enqueued before, which compiled it
     * @throws IllegalStateException if the program has ended
     * @throws IllegalArgumentException if the number is negative
     */
    public synchronized Program addKernel(int binaryPages) {
        requireChangeable("kernel");
        if (binaryPages < 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use %d as the binary pages of a kernel of %s: it must be 0 or more", binaryPages, owner()));
        }
        kernelBinaryPages += binaryPages;
        return this;
    }

    /**
     * Adds a kernel that runs on some cores. The cores determine the sub-device of the program.
     *
     * <p>A kernel without cores uses the cores of the first sub-device.
     *
     * @param binaryPages the pages, of 2,048 bytes each, of its binary
     * @return this program
     * @throws MeshRuntimeException if the program was enqueued before, which compiled it
     * @throws IllegalStateException if the program has ended
     * @throws IllegalArgumentException if the number is negative
     */
    public synchronized Program addKernel(int binaryPages, CoreRange cores) {
        addKernel(binaryPages);
        kernelCores.add(cores);
        return this;
    }

    /**
     * Sets how many bytes of commands a captured trace keeps for one execution of this program.
     *
     * <p>Only the runtime's dispatcher could compute this number. Set it at any time before the capture ends, or pass the size
     * of the whole trace when the capture ends.
     *
     * @return this program
     * @throws IllegalArgumentException if the number is negative
     */
    public synchronized Program setTraceSize(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot use %d B as the trace size of %s: it must be 0 or more", bytes, owner()));
        }
        traceSize = OptionalLong.of(bytes);
        return this;
    }

    /**
     * Adds a circular buffer; see {@link #createCircularBuffer(CircularBufferConfig)}.
     *
     * @return this program
     */
    public Program addCircularBuffer(CircularBufferConfig config) {
        createCircularBuffer(config);
        return this;
    }

    /**
     * Adds a circular buffer above the existing ones on the same cores.
     *
     * @throws MeshRuntimeException if the program was enqueued before, which compiled it; if an index is taken on one of the
     *     cores, or there is no such index; or if there are more pages than the chip can count
     * @throws IllegalStateException if the program has ended
     */
    public synchronized CircularBuffer createCircularBuffer(CircularBufferConfig config) {
        requireChangeable("circular buffer");
        CircularBuffer added = new CircularBuffer(this, config);
        requireFreeIndices(added, config);
        circularBuffers.add(added);
        return added;
    }

    /**
     * Ends the program: its binary is freed and its circular buffers end, also if its mesh was closed or destroyed before.
     *
     * <p>Does nothing if it has ended.
     *
     * @throws IllegalStateException if the program belongs to a workload that has not ended
     */
    @Override
    public void close() {
        synchronized (this) {
            if (!holdings.haveEnded() && workload != null) {
                throw new IllegalStateException(InvariantText.of(
                        "Cannot close %s: it belongs to a mesh workload. Close the workload instead.", owner()));
            }
        }
        try {
            holdings.end(ReleaseReason.DIED);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Adds the program to a workload; this is final. */
    synchronized void moveInto(MeshWorkload newWorkload) {
        if (workload != null || holdings.areSomewhere() || holdings.haveEnded()) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot add %s to a mesh workload: it has ended, was enqueued by itself, or belongs to another. Create a new program.",
                    owner()));
        }
        workload = newWorkload;
    }

    /** Returns the known cores of its kernels. */
    synchronized List<CoreRange> kernelCores() {
        return List.copyOf(kernelCores);
    }

    private synchronized boolean isLoadedOn(DeviceOpenPeriod device) {
        return kernelBinarySize() == 0 || loadedOn.contains(device);
    }

    synchronized long kernelBinarySize() {
        return kernelBinaryPages * KernelBinary.PAGE_SIZE;
    }

    /** Returns the program as work for one device, which ignores the sub-devices of the mesh and uses the device as a whole. */
    EnqueuedWork on(MeshContext mesh, int device) {
        return new EnqueuedWork(
                () -> isLoadedOn(mesh.openPeriodOf(device)),
                () -> enqueueOn(mesh, device),
                () -> new SubDeviceId(0),
                trace -> recordIn(trace, List.of(device)));
    }

    /** Adds the commands of one run to a trace. */
    synchronized List<Owner> recordIn(MeshTrace trace, List<Integer> devices) {
        trace.add(owner(), traceSize, devices);
        return List.of(owner());
    }

    /** Runs the program on one device by itself; called under the lock of the mesh. */
    private synchronized void enqueueOn(MeshContext mesh, int device) {
        requireRunnableBy(null);
        holdings.endWith(this, mesh);
        compile(
                mesh,
                mesh.memory().lowestOccupiedL1Address(device),
                () -> mesh.memory().allocatedL1(device));
        DeviceOpenPeriod life = mesh.openPeriodOf(device);
        place(mesh, List.of(life), this);
        if (kernelBinarySize() > 0 && !loadedOn.contains(life)) {
            AllocationDetails details = AllocationDetails.user().ownedBy(owner());
            BufferConfig binary = KernelBinary.ofSize(kernelBinarySize());
            Runnable loading = () -> {
                Allocation loaded = mesh.memory().allocateOnDevice(device, binary, details);
                mesh.reports().handleReturned(this, loaded);
                holdings.hold(mesh, loaded);
            };
            AllOrNothing.run(loading, () -> withdraw(List.of(life)));
            loadedOn.add(life);
        }
    }

    /** Compiles the program as a part of a workload, for all devices of a mesh; called under the lock of the mesh. */
    synchronized void compileFor(MeshWorkload enqueuing, MeshContext mesh) {
        requireRunnableBy(enqueuing);
        compile(
                mesh,
                mesh.subDevices().lowestOccupiedL1AddressFor(kernelCores),
                () -> mesh.memory().allocatedL1(kernelCores));
    }

    /** Lays out the circular buffers and checks whether they fit. */
    private void compile(
            MeshContext mesh, OptionalLong lowestOccupiedL1Address, Supplier<List<MemoryShortage.Block>> allocatedL1) {
        compiled = true;
        holdings.visit(mesh);
        CircularBufferLayout current = layOut(mesh);
        current.requireWithin(mesh.computeGrid());
        current.requireRoom(lowestOccupiedL1Address, owner(), allocatedL1);
    }

    /**
     * Reports the circular buffers on devices that have not received this layout; called under the lock of the mesh.
     *
     * <p>The runtime reports them before it checks them, so its reports have those of a program that it then rejects, although
     * it allocates nothing.
     */
    synchronized void place(MeshContext mesh, List<DeviceOpenPeriod> devices, Object handle) {
        holdings.place(mesh, layOut(mesh), AllocationDetails.circularBuffer(owner()), devices, handle);
    }

    /** Reports that the circular buffers are gone from devices for which the program was rejected after they were placed. */
    synchronized void withdraw(List<DeviceOpenPeriod> devices) {
        holdings.withdraw(devices);
    }

    private CircularBufferLayout layOut(MeshContext mesh) {
        CircularBufferLayout current = layout;
        if (current == null) {
            List<CircularBufferLayout.Item> items = circularBuffers.stream()
                    .map(buffer -> buffer.itemOn(mesh.computeGrid()))
                    .toList();
            current = CircularBufferLayout.of(id, items, mesh.architecture(), mesh.l1Base());
            for (int index = 0; index < circularBuffers.size(); index++) {
                circularBuffers.get(index).placeAt(current.placed().get(index).address());
            }
            layout = current;
        }
        return current;
    }

    /** Returns the resources that it keeps until it or its workload ends. */
    OwnedResources holdings() {
        return holdings;
    }

    private void requireRunnableBy(@Nullable MeshWorkload enqueuing) {
        if (holdings.haveEnded()) {
            throw new IllegalStateException(
                    InvariantText.of("Cannot enqueue %s: it has ended. Create a new program.", owner()));
        }
        if (workload != enqueuing) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot enqueue %s by itself: it belongs to a mesh workload. Enqueue the workload instead.",
                    owner()));
        }
    }

    private void requireChangeable(String addition) {
        if (holdings.haveEnded()) {
            throw new IllegalStateException(
                    InvariantText.of("Cannot add a %s to %s: it has ended. Create a new program.", addition, owner()));
        }
        if (compiled) {
            throw new MeshRuntimeException("Cannot add %s to an already compiled program %d", addition, id);
        }
    }

    private void requireFreeIndices(CircularBuffer added, CircularBufferConfig config) {
        for (CircularBufferConfig.Index index : config.indices()) {
            if (index.number() >= architecture.maxCircularBuffers()) {
                throw new MeshRuntimeException(
                        "Buffer index (%d) exceeds max number of circular buffers per core (%d)",
                        index.number(), architecture.maxCircularBuffers());
            }
            config.numPages(index.number());
            boolean taken = circularBuffers.stream()
                    .filter(other -> other.sharesCoreWith(added))
                    .anyMatch(other -> other.config().hasIndex(index.number()));
            if (taken) {
                throw new MeshRuntimeException(
                        "Invalid circular buffer index: Cannot add circular buffer at index %d, another circular buffer already exists",
                        index.number());
            }
        }
    }

    /** Returns the name for a person to read. */
    @Override
    public String toString() {
        return owner().toString();
    }
}
