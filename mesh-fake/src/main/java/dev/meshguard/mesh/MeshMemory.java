package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.mesh.Allocation.Kind;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarning;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.IgnoredFreeReason;
import dev.meshguard.tracker.WitnessReading;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

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
    private final List<Integer> devices;
    private final AllocatorConfig config;
    private final UnsafeAllocationWarning warning;
    private final MeshReports reports;
    private final Allocator meshAllocator;
    private final Map<Integer, Allocator> deviceAllocators = new TreeMap<>();
    private final Map<BufferType, Map<Long, Allocation>> lockStep = new EnumMap<>(BufferType.class);
    private boolean open = true;

    MeshMemory(
            int meshId,
            List<Integer> devices,
            AllocatorConfig config,
            UnsafeAllocationWarning warning,
            MeshReports reports) {
        this.meshId = meshId;
        this.devices = devices;
        this.config = config;
        this.warning = warning;
        this.reports = reports;
        this.meshAllocator = Allocator.create(config, warning);
    }

    boolean isOpen() {
        return open;
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
        return allocate(Kind.ON_ONE_DEVICE, allocatorOf(device), List.of(device), buffer, details);
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
        reports.allocated(loading, view);
        for (int program = 0; program < programs; program++) {
            Allocation kept =
                    Allocation.view(Kind.VIEW_ON_MESH, complete, devices, buffer.type(), address, buffer.size());
            reports.allocated(loading, kept);
            viewsOnMesh.add(kept);
        }
        free(view, Ending.DIED);
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
        allocation.markFreed();
        if (open) {
            reports.freed(release, allocation, ending);
            giveBack(allocation);
        } else {
            reports.freedAfterClose(release, allocation, ending);
        }
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
        return allocatorOf(device).lowestOccupiedL1Address(0);
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
            deviceAllocators.forEach(
                    (device, allocator) -> reading.region(device, type, allocator.liveAddresses(type)));
        }
        return reading.build();
    }

    /** Empties the allocators; nobody is told, and buffers keep their state. */
    void wipe() {
        wipe(meshAllocator);
        deviceAllocators.values().forEach(MeshMemory::wipe);
        lockStep.clear();
    }

    void close() {
        open = false;
    }

    private static void wipe(Allocator allocator) {
        allocator.deallocateBuffers();
        allocator.clear();
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

    private Allocator allocatorOf(int device) {
        requireOpen();
        return deviceAllocators.computeIfAbsent(device, unused -> Allocator.create(config, warning));
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
