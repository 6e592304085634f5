package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.mesh.Allocation.Kind;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarning;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.IgnoredFreeReason;
import dev.meshguard.tracker.Quantities;
import dev.meshguard.tracker.WitnessReading;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The memory of one mesh: its own allocator, those of its devices, and what is lent.
 *
 * <p>One list of free blocks serves all devices of a mesh, which therefore have the same addresses. Each device has an allocator
 * of its own besides, for buffers of that device alone; neither knows of the other, so their addresses may coincide. Guarded by
 * the lock of the mesh, which callers hold.
 */
final class MeshMemory {

    /** The memories an allocator lends. */
    private static final List<BufferType> LENT =
            List.of(BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL, BufferType.TRACE);

    private final int meshId;
    private final Map<Integer, DeviceLife> lives;
    private final List<Integer> devices;
    private final AllocatorConfig config;
    private final MeshReports reports;
    private final Allocator meshAllocator;
    private final Map<BufferType, Map<Long, Allocation>> lockStep = new EnumMap<>(BufferType.class);
    private boolean open = true;

    MeshMemory(
            int meshId,
            Map<Integer, DeviceLife> lives,
            List<Integer> devices,
            AllocatorConfig config,
            UnsafeAllocationWarning warning,
            MeshReports reports) {
        this.meshId = meshId;
        this.lives = lives;
        this.devices = devices;
        this.config = config;
        this.reports = reports;
        this.meshAllocator = Allocator.create(config, warning);
    }

    void requireOpen() {
        if (!open) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "SubDeviceManagerTracker is not initialized on MeshDevice %d."
                            + " This MeshDevice contains only remote devices (so the runtime; in fact mesh %d was closed:"
                            + " use it before closeMeshDevice, or open a new mesh)",
                    meshId,
                    meshId));
        }
    }

    /** Lends the same address on all devices, as the backing buffer of a mesh buffer does. */
    Allocation allocateOnMesh(BufferConfig buffer, AllocationDetails details) {
        Allocation allocation = allocate(Kind.LOCK_STEP, meshAllocator, devices, buffer, details);
        if (allocation.size() > 0) {
            lockStepOf(allocation.type()).put(allocation.address(), allocation);
        }
        return allocation;
    }

    /** Lends memory of one device. */
    Allocation allocateOnDevice(int device, BufferConfig buffer, AllocationDetails details) {
        requireOpen();
        DeviceLife life = lifeOf(device);
        if (life.isOver()) {
            throw new MeshRuntimeException("Device has not been initialized, did you forget to call InitializeDevice?");
        }
        return allocate(Kind.ON_ONE_DEVICE, life.allocator(), List.of(device), buffer, details);
    }

    /** Points to an address that something else owns. */
    Allocation viewOn(List<Integer> on, BufferConfig buffer, long address, AllocationDetails details) {
        requireOpen();
        Allocation view =
                Allocation.view(Kind.VIEW, withExtent(details, buffer), on, buffer.type(), address, buffer.size());
        if (view.size() > 0 && reports.concern(view)) {
            reports.allocated(view);
        }
        return view;
    }

    /**
     * Lends the memory of a kernel binary and loads it, as {@code MeshWorkloadImpl::load_binaries} does: through a view that lives
     * only as long as the loading takes.
     *
     * @param viewsOnMesh filled with the buffer on the mesh that each of the programs keeps
     */
    Allocation allocateKernelBinary(
            BufferConfig buffer, AllocationDetails details, int programs, List<Allocation> viewsOnMesh) {
        requireOpen();
        long address = meshAllocator.allocate(buffer.type(), request(buffer));
        AllocationDetails complete = withExtent(details, buffer);
        Allocation binary = Allocation.lent(Kind.LOCK_STEP, complete, devices, buffer, address, meshAllocator);
        lockStepOf(binary.type()).put(address, binary);
        AllocationRequest loading = reports.allocated(binary);

        Allocation view = Allocation.view(Kind.VIEW, complete, devices, buffer.type(), address, buffer.size());
        if (!reports.has(RuntimeFix.LOADING_VIEWS_NOT_REPORTED)) {
            reports.allocated(loading, view);
        }
        for (int program = 0; program < programs; program++) {
            Allocation kept =
                    Allocation.view(Kind.VIEW_ON_MESH, complete, devices, buffer.type(), address, buffer.size());
            reports.allocated(loading, kept);
            viewsOnMesh.add(kept);
        }
        if (!reports.has(RuntimeFix.LOADING_VIEWS_NOT_REPORTED)) {
            free(view, Ending.DIED);
        }
        return binary;
    }

    /** Takes memory back; what was freed before is not freed again. */
    void free(Allocation allocation, Ending ending) {
        if (allocation.size() == 0 || !reports.concern(allocation)) {
            allocation.markFreed();
            return;
        }
        AllocationRequest release = reports.listener().release(allocation.details());
        if (allocation.isFreed()) {
            reports.freeIgnored(release, allocation, IgnoredFreeReason.ALREADY_FREED);
            return;
        }
        boolean givenBack = isGivenBack(allocation);
        if (!givenBack
                && allocation.kind() == Kind.LOCK_STEP
                && reports.has(RuntimeDefect.MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES)) {
            crash(allocation, "its mesh is closed, and the buffer calls allocators of its devices that are gone");
        }
        allocation.markFreed();
        if (givenBack) {
            reports.freed(release, allocation, ending);
            giveBack(allocation);
        } else {
            reports.freedAfterClose(release, allocation, ending);
            requireSameLife(allocation);
        }
    }

    /** The real runtime would call the allocator of the earlier life, which is destroyed (quirk Q4): that is not imitated. */
    private void requireSameLife(Allocation allocation) {
        if (allocation.kind() == Kind.ON_ONE_DEVICE && reports.isOpenedAgain(allocation)) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot free the %s buffer at %s of device %d: the device was closed and opened again since the buffer was"
                            + " created, and the runtime would call an allocator that is gone (undefined behaviour)."
                            + " Free it before close_mesh_device.",
                    allocation.type(),
                    Quantities.address(allocation.address()),
                    allocation.devices().get(0)));
        }
    }

    /** Stands for the end of the process by a bad pointer: the listener hears that nothing was freed. */
    void crash(Allocation allocation, String because) {
        AllocationRequest release = reports.listener().release(allocation.details());
        reports.freeIgnored(release, allocation, IgnoredFreeReason.DEVICE_CLOSED);
        throw new IllegalStateException(String.format(
                Locale.ROOT,
                "Segmentation fault: cannot free the %s buffer at %s: %s. This is a defect that was switched on.",
                allocation.type(),
                Quantities.address(allocation.address()),
                because));
    }

    /** Takes back all that the mesh's allocator lends, without a word. */
    void freeAllSilently() {
        meshAllocator.deallocateBuffers();
        lockStep.clear();
    }

    /** Takes memory back without a word. */
    void freeSilently(Allocation allocation) {
        allocation.markFreed();
        giveBack(allocation);
    }

    /** Takes back whatever lies at an address on all devices. */
    void freeAddress(BufferType type, long address) {
        requireOpen();
        Allocation allocation = lockStepOf(type).get(address);
        if (allocation == null) {
            reports.unknownAddress(type, address);
        } else {
            free(allocation, Ending.DEALLOCATED);
        }
    }

    OptionalLong lowestOccupiedL1Address() {
        return meshAllocator.lowestOccupiedL1Address(0);
    }

    OptionalLong lowestOccupiedL1Address(int device) {
        return lifeOf(device).allocator().lowestOccupiedL1Address(0);
    }

    Statistics statistics(BufferType type) {
        requireOpen();
        return meshAllocator.statistics(type);
    }

    /** Returns which addresses the allocators have lent, on every device and in every memory. */
    WitnessReading read(WitnessReading.Moment moment) {
        WitnessReading.Builder reading = WitnessReading.of(meshId, moment);
        for (BufferType type : LENT) {
            long[] lockStepAddresses = meshAllocator.liveAddresses(type);
            for (int device : devices) {
                reading.region(device, type, lockStepAddresses);
            }
            lives.values().stream()
                    .filter(DeviceLife::hasLent)
                    .forEach(life ->
                            reading.region(life.device(), type, life.allocator().liveAddresses(type)));
        }
        return reading.build();
    }

    /** Empties the mesh's allocator; nobody is told, and buffers keep their state. */
    void wipe() {
        meshAllocator.deallocateBuffers();
        meshAllocator.clear();
        lockStep.clear();
    }

    void close() {
        open = false;
    }

    /** Memory goes back only while it is initialised who lent it: the mesh, or the device that lent by itself. */
    private boolean isGivenBack(Allocation allocation) {
        return allocation.kind() == Kind.ON_ONE_DEVICE
                ? allocation.devices().stream()
                        .noneMatch(device -> lifeOf(device).isOver())
                : open && lives.values().stream().noneMatch(DeviceLife::isOver);
    }

    private Allocation allocate(
            Kind kind, Allocator allocator, List<Integer> on, BufferConfig buffer, AllocationDetails details) {
        requireOpen();
        if (buffer.size() == 0) {
            return Allocation.empty(kind, details, on, buffer);
        }
        long address = allocator.allocate(buffer.type(), request(buffer));
        Allocation allocation = Allocation.lent(kind, withExtent(details, buffer), on, buffer, address, allocator);
        reports.allocated(allocation);
        return allocation;
    }

    private void giveBack(Allocation allocation) {
        allocation.lender().ifPresent(lender -> lender.deallocate(allocation.type(), allocation.address()));
        if (allocation.kind() == Kind.LOCK_STEP) {
            lockStepOf(allocation.type()).remove(allocation.address());
        }
    }

    private Map<Long, Allocation> lockStepOf(BufferType type) {
        return lockStep.computeIfAbsent(type, unused -> new HashMap<>());
    }

    private DeviceLife lifeOf(int device) {
        return Objects.requireNonNull(lives.get(device));
    }

    private dev.meshguard.mesh.allocator.AllocationRequest request(BufferConfig buffer) {
        return new dev.meshguard.mesh.allocator.AllocationRequest(
                alignedPages(buffer) * alignedPageSize(buffer),
                alignedPageSize(buffer),
                buffer.direction(),
                buffer.shards());
    }

    /** What the buffer takes in every bank: its share of the pages, rounded up as the free list does. */
    private AllocationDetails withExtent(AllocationDetails details, BufferConfig buffer) {
        int banks = buffer.shards().orElseGet(() -> meshAllocator.numBanks(buffer.type()));
        if (banks == 0 || buffer.size() == 0) {
            return details;
        }
        long pagesPerBank = (alignedPages(buffer) + banks - 1) / banks;
        return details.withExtent(roundUp(pagesPerBank * alignedPageSize(buffer), config.dramAlignment()));
    }

    private static long alignedPages(BufferConfig buffer) {
        return buffer.pageSize() == 0 ? 0 : buffer.size() / buffer.pageSize();
    }

    private long alignedPageSize(BufferConfig buffer) {
        return roundUp(buffer.pageSize(), meshAllocator.alignment(buffer.type()));
    }

    private static long roundUp(long value, long multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }
}
