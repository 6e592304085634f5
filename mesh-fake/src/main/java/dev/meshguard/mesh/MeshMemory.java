package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.mesh.Allocation.Kind;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.BankManager.HighWaterMarks;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.buffer.BankLayout;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.SubDeviceId;
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
 * The memory of one mesh: its own allocator, those of its sub-devices and devices, and what is lent.
 *
 * <p>One list of free blocks serves all devices of a mesh, which therefore have the same addresses. Each device has an allocator
 * of its own besides, for buffers of that device alone; neither knows of the other, so their addresses may coincide. Guarded by
 * the lock of the mesh, which callers hold.
 */
final class MeshMemory {

    private static final long HIGHEST_ADDRESS = 0xFFFF_FFFFL;

    /** The memories an allocator lends. */
    private static final List<BufferType> LENT =
            List.of(BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL, BufferType.TRACE);

    private final int meshId;
    private final Map<Integer, DeviceLife> lives;
    private final List<Integer> devices;
    private final RuntimeProcess process;
    private final MeshReports reports;
    private final AllocatorConfig config;
    private final Allocator meshAllocator;
    private final SubDeviceManagers subDevices;
    private final Map<BufferType, Map<Long, Allocation>> lockStep = new EnumMap<>(BufferType.class);
    private boolean open;

    MeshMemory(
            int meshId,
            Map<Integer, DeviceLife> lives,
            List<Integer> devices,
            AllocatorConfig config,
            RuntimeProcess process,
            MeshReports reports) {
        this.meshId = meshId;
        this.lives = lives;
        this.devices = devices;
        this.process = process;
        this.reports = reports;
        this.config = config;
        this.meshAllocator = Allocator.create(config, process.unsafeAllocations());
        this.subDevices = new SubDeviceManagers(process, config, process.computeGrid(), meshAllocator);
    }

    void open() {
        subDevices.begin();
        open = true;
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
        requireOpen();
        Allocation allocation = allocate(Kind.LOCK_STEP, lenderFor(buffer), devices, buffer, details);
        if (subDevices.isLocal(allocation)) {
            subDevices.lend(allocation);
        } else if (allocation.size() > 0) {
            lockStepOf(allocation.type()).put(allocation.address(), allocation);
        }
        return allocation;
    }

    /** Lends memory of one device. */
    Allocation allocateOnDevice(int device, BufferConfig buffer, AllocationDetails details) {
        requireOpen();
        requireWholeDevice(device, buffer);
        DeviceLife life = lifeOf(device);
        if (life.isOver()) {
            throw new MeshRuntimeException("Device has not been initialized, did you forget to call InitializeDevice?");
        }
        return allocate(Kind.ON_ONE_DEVICE, life.allocator(), List.of(device), buffer, details);
    }

    /** Points to an address that something else owns. */
    Allocation viewOn(List<Integer> on, BufferConfig buffer, long address, AllocationDetails details) {
        return reportedView(Kind.VIEW, on, buffer, address, details);
    }

    /** Points a buffer of the mesh itself to an address that something else owns. */
    Allocation viewOnMesh(BufferConfig buffer, long address, AllocationDetails details) {
        return reportedView(Kind.VIEW_ON_MESH, devices, buffer, address, details);
    }

    private Allocation reportedView(
            Kind kind, List<Integer> on, BufferConfig buffer, long address, AllocationDetails details) {
        requireOpen();
        requireAddress(address);
        Allocation view = view(kind, withExtent(details, buffer, meshAllocator), on, buffer, address);
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
        Allocation binary = lend(Kind.LOCK_STEP, meshAllocator, devices, buffer, details);
        long address = binary.address();
        lockStepOf(binary.type()).put(address, binary);
        AllocationRequest loading = reports.allocated(binary);

        Allocation view = view(Kind.VIEW, binary.details(), devices, buffer, address);
        reports.allocated(loading, view);
        for (int program = 0; program < programs; program++) {
            Allocation kept = view(Kind.VIEW_ON_MESH, binary.details(), devices, buffer, address);
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
        if (isGivenBack(allocation)) {
            subDevices.requireManagerOf(allocation);
            allocation.markFreed();
            reports.freed(release, allocation, ending);
            giveBack(allocation);
        } else {
            allocation.markFreed();
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

    /** Ends a buffer whose mesh object is gone: there is nobody to give the memory back to, and it is long wiped. */
    void outlived(Allocation allocation) {
        boolean firstTime = !allocation.isFreed();
        allocation.markFreed();
        if (allocation.size() > 0 && reports.concern(allocation)) {
            AllocationRequest release = reports.listener().release(allocation.details());
            reports.freeIgnored(
                    release, allocation, firstTime ? IgnoredFreeReason.DEVICE_CLOSED : IgnoredFreeReason.ALREADY_FREED);
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

    OptionalLong lowestOccupiedL1Address(int device) {
        return lifeOf(device).allocator().lowestOccupiedL1Address(0);
    }

    /** Returns the allocator whose banks a buffer lies in, open or not. */
    Allocator allocatorOf(Allocation allocation) {
        return allocation.lender().orElse(meshAllocator);
    }

    Statistics statistics(BufferType type) {
        requireOpen();
        return meshAllocator.statistics(type);
    }

    /** Returns how full a memory of one sub-device of the active manager is. */
    Statistics statistics(BufferType type, SubDeviceId subDevice) {
        requireOpen();
        return subDevices.active().allocator(subDevice).statistics(type);
    }

    SubDeviceManagers subDevices() {
        return subDevices;
    }

    int numBanks(BufferType type) {
        return meshAllocator.numBanks(type);
    }

    long traceRegionSize() {
        return config.traceRegionSize();
    }

    /** Says that a trace exists which may overwrite what the mesh's own allocator lends from now on. */
    void markAllocationsUnsafe() {
        meshAllocator.markAllocationsUnsafe();
    }

    /** Says that no trace exists, or that one is being captured. */
    void markAllocationsSafe() {
        meshAllocator.markAllocationsSafe();
    }

    /** Starts to note how far up the mesh's DRAM is taken and given back. */
    void beginHighWaterMarkTracking() {
        meshAllocator.beginHighWaterMarkTracking(BufferType.DRAM);
    }

    HighWaterMarks endHighWaterMarkTracking() {
        return meshAllocator.endHighWaterMarkTracking(BufferType.DRAM);
    }

    /** Returns which addresses the allocators have lent, on every device and in every memory. */
    WitnessReading read(WitnessReading.Moment moment) {
        WitnessReading.Builder reading = WitnessReading.of(meshId, moment);
        for (BufferType type : LENT) {
            long[] lockStepAddresses = meshAllocator.liveAddresses(type);
            for (int device : devices) {
                reading.region(device, type, lockStepAddresses);
                subDevices.localAllocators().forEach(local -> reading.region(device, type, local.liveAddresses(type)));
            }
            lives.values().stream()
                    .filter(DeviceLife::hasLent)
                    .forEach(life ->
                            reading.region(life.device(), type, life.allocator().liveAddresses(type)));
        }
        return reading.build();
    }

    /** Empties the allocators of the mesh and of its sub-devices; nobody is told, and buffers keep their state. */
    void wipe() {
        subDevices.wipe();
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
        if (buffer.size() == 0) {
            return Allocation.empty(nextIds(kind, on), kind, details, on, buffer);
        }
        Allocation allocation = lend(kind, allocator, on, buffer, details);
        reports.allocated(allocation);
        return allocation;
    }

    private Allocation lend(
            Kind kind, Allocator allocator, List<Integer> on, BufferConfig buffer, AllocationDetails details) {
        long firstId = nextIds(kind, on);
        long address = allocator.allocate(
                buffer.type(), BankLayout.of(buffer, allocator).request());
        return Allocation.lent(firstId, kind, withExtent(details, buffer, allocator), on, buffer, address, allocator);
    }

    private Allocation view(Kind kind, AllocationDetails details, List<Integer> on, BufferConfig buffer, long address) {
        return Allocation.view(nextIds(kind, on), kind, details, on, buffer, address);
    }

    private long nextIds(Kind kind, List<Integer> on) {
        return process.nextBufferIds(kind.buffers(on.size()));
    }

    private void giveBack(Allocation allocation) {
        allocation.lender().ifPresent(lender -> lender.deallocate(allocation.type(), allocation.address()));
        if (subDevices.isLocal(allocation)) {
            subDevices.takeBack(allocation);
        } else if (allocation.kind() == Kind.LOCK_STEP) {
            lockStepOf(allocation.type()).remove(allocation.address());
        }
    }

    private Map<Long, Allocation> lockStepOf(BufferType type) {
        return lockStep.computeIfAbsent(type, unused -> new HashMap<>());
    }

    private DeviceLife lifeOf(int device) {
        return Objects.requireNonNull(lives.get(device));
    }

    /** The one place that knows which allocator a buffer on the mesh takes its memory from. */
    private Allocator lenderFor(BufferConfig buffer) {
        buffer.subDevice().map(subDevices.active()::cores).ifPresent(buffer.deviceLocal()::requireWithin);
        return subDevices.allocatorOf(buffer.subDevice());
    }

    private static void requireWholeDevice(int device, BufferConfig buffer) {
        if (buffer.subDevice().isPresent()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot create a buffer for sub-device %d on device %d alone: sub-devices belong to a mesh."
                            + " Create it on the mesh, or name no sub-device.",
                    buffer.subDevice().get().value(),
                    device));
        }
    }

    /** Buffers tell their address in 32 bits, in which all banks fit (quirk Q13). */
    private static void requireAddress(long address) {
        if (address < 0 || address > HIGHEST_ADDRESS) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "There is no buffer at address %d: an address is a number from 0 to %d",
                    address,
                    HIGHEST_ADDRESS));
        }
    }

    /** What the buffer takes in every bank of the allocator that lends it, or would. */
    private static AllocationDetails withExtent(AllocationDetails details, BufferConfig buffer, Allocator allocator) {
        BankLayout layout = BankLayout.of(buffer, allocator);
        return buffer.size() == 0 || layout.maxPagesPerBank() == 0
                ? details
                : details.withExtent(allocator.reservedPerBank(buffer.type(), layout.request()));
    }
}
