package dev.meshguard.mesh.internal.memory;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.allocator.AddressRange;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.buffer.BankLayout;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.allocation.StrictModeChecks;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.device.OpenState;
import dev.meshguard.mesh.internal.process.RuntimeProcess;
import dev.meshguard.mesh.internal.report.Answers;
import dev.meshguard.mesh.internal.report.MeshReports;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one mesh: its own allocator, those of its sub-devices and devices, and the allocations.
 *
 * <p>One list of free blocks serves all devices of a mesh, which therefore have the same addresses. Each device also has an
 * allocator for its own buffers. The two are independent, so their addresses may coincide. Guarded by the lock of the mesh,
 * which callers hold.
 */
public final class MeshMemory {

    private static final long HIGHEST_ADDRESS = 0xFFFF_FFFFL;

    /** The memories an allocator allocates. */
    private static final List<BufferType> ALLOCATABLE_TYPES =
            List.of(BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL, BufferType.TRACE);

    private final int meshId;
    private final Map<Integer, DeviceOpenPeriod> openPeriods;
    private final OpenState state;
    private final List<Integer> devices;
    private final RuntimeProcess process;
    private final MeshReports reports;
    private final StrictModeChecks misuse;
    private final Allocator meshAllocator;
    private final SubDeviceManagers subDevices;
    private final Map<BufferType, Map<Long, Allocation>> lockStep = new EnumMap<>(BufferType.class);

    public MeshMemory(
            int meshId,
            Map<Integer, DeviceOpenPeriod> openPeriods,
            OpenState state,
            List<Integer> devices,
            AllocatorConfig config,
            RuntimeProcess process,
            MeshReports reports) {
        this.meshId = meshId;
        this.openPeriods = openPeriods;
        this.state = state;
        this.devices = devices;
        this.process = process;
        this.reports = reports;
        this.misuse = process.misuse();
        this.meshAllocator = Allocator.create(config, process.unsafeAllocations());
        this.subDevices = new SubDeviceManagers(process, config, meshAllocator);
    }

    /** Allocates the same address on all devices, as the backing buffer of a mesh buffer does. */
    public Allocation allocateOnMesh(BufferConfig buffer, AllocationDetails details) {
        Allocation allocation = allocate(Kind.LOCK_STEP, allocatorFor(buffer), devices, buffer, details);
        if (subDevices.isLocal(allocation)) {
            subDevices.allocate(allocation);
        } else if (allocation.size() > 0) {
            lockStepOf(allocation.type()).put(key(allocation.address()), allocation);
        }
        return allocation;
    }

    /** Allocates memory of one device. */
    public Allocation allocateOnDevice(int device, BufferConfig buffer, AllocationDetails details) {
        requireWholeDevice(device, buffer);
        DeviceOpenPeriod life = openPeriodOf(device);
        if (life.isOver()) {
            throw new MeshRuntimeException("Device has not been initialized, did you forget to call InitializeDevice?");
        }
        Allocation allocation = allocate(Kind.ON_ONE_DEVICE, life.allocator(), List.of(device), buffer, details);
        if (allocation.size() > 0) {
            life.allocated(allocation);
        }
        return allocation;
    }

    /** Creates a view of an address that another buffer owns. */
    public Allocation viewOn(List<Integer> on, BufferConfig buffer, long address, AllocationDetails details) {
        requireAddress(address);
        misuse.view(buffer.type(), address, on);
        Optional<AllocatorId> target = targetOf(buffer.type(), address, on);
        AllocationDetails complete = withExtent(details, buffer).asView();
        Allocation view = new Allocation(
                Kind.VIEW,
                target.isPresent() ? complete.fromAllocator(target.get()) : complete,
                on,
                buffer,
                address,
                null);
        if (view.size() > 0 && reports.concern(view)) {
            misuse.allocated(view, reports.allocated(view));
        }
        return view;
    }

    /** Returns the allocation of the mesh that a view points to, or the given one. */
    public Allocation holderOf(Allocation buffer) {
        boolean isView = buffer.kind() == Kind.VIEW || buffer.kind() == Kind.VIEW_ON_MESH;
        return isView ? lockStepOf(buffer.type()).getOrDefault(key(buffer.address()), buffer) : buffer;
    }

    /** Returns which allocator reserved the target of a view; empty if there is no target or more than one. */
    private Optional<AllocatorId> targetOf(BufferType type, long address, List<Integer> on) {
        List<AllocatorId> there = new ArrayList<>(1);
        if (lockStepOf(type).containsKey(key(address))) {
            there.add(AllocatorId.MESH);
        }
        subDevices.localAllocators().forEach((id, allocator) -> {
            if (hasReserved(allocator, type, address)) {
                there.add(id);
            }
        });
        boolean isOfDevices = on.stream()
                .map(this::openPeriodOf)
                .allMatch(life -> life.hasAllocated() && hasReserved(life.allocator(), type, address));
        if (isOfDevices) {
            there.add(AllocatorId.DEVICE);
        }
        return there.size() == 1 ? Optional.of(there.get(0)) : Optional.empty();
    }

    private static boolean hasReserved(Allocator allocator, BufferType type, long address) {
        return LongStream.of(allocator.liveAddresses(type)).anyMatch(reserved -> reserved == address);
    }

    /**
     * Allocates the memory of kernel binaries and loads them, as {@code MeshWorkloadImpl::load_binaries} does: each through a
     * view that exists only while it loads.
     *
     * @param ofPrograms the required memory of the binary of each program
     * @param viewsOnMesh receives the buffer on the mesh that each of the programs keeps
     */
    public Allocation allocateKernelBinary(
            BufferConfig buffer,
            AllocationDetails details,
            List<BufferConfig> ofPrograms,
            List<Allocation> viewsOnMesh) {
        Allocation binary = reserve(Kind.LOCK_STEP, meshAllocator, devices, buffer, details);
        long address = binary.address();
        lockStepOf(binary.type()).put(key(address), binary);
        MemoryRequest loading = reports.allocated(binary);
        binary.reportedBy(loading);
        misuse.allocated(binary, loading);

        ofPrograms.forEach(ofProgram -> viewsOnMesh.add(load(ofProgram, address, details, loading)));
        return binary;
    }

    /** Loads the binary of one program, and returns the buffer on the mesh that the program keeps. */
    private Allocation load(BufferConfig binary, long address, AllocationDetails details, MemoryRequest loading) {
        AllocationDetails complete =
                withExtent(details, binary).fromAllocator(AllocatorId.MESH).asView();
        Allocation view = new Allocation(Kind.VIEW, complete, devices, binary, address, null);
        Allocation kept = new Allocation(Kind.VIEW_ON_MESH, complete, devices, binary, address, null);
        if (binary.size() > 0) {
            boolean viewIsReported = !reports.has(RuntimeFix.LOADING_VIEWS_NOT_REPORTED);
            if (viewIsReported) {
                reports.allocated(loading, view);
            }
            reports.allocated(loading, kept);
            if (viewIsReported) {
                free(view, ReleaseReason.DIED);
            }
        }
        return kept;
    }

    /** Frees memory unless it was freed before. */
    public void free(Allocation allocation, ReleaseReason ending) {
        if (allocation.size() == 0 || !reports.concern(allocation)) {
            requireFirstFree(allocation, ending);
            allocation.markFreed();
            return;
        }
        AllocationDetails details =
                ending == ReleaseReason.COLLECTED ? allocation.details().ofCollectedHandle() : allocation.details();
        boolean isByAddress = allocation.isFreedByAddress() && !allocation.isFreed();
        MemoryRequest release = isByAddress
                ? Answers.releaseByAddress(reports.listener(), details)
                : Answers.release(reports.listener(), details);
        if (allocation.isFreed()) {
            reports.freeIgnored(release, allocation, IgnoredFreeReason.ALREADY_FREED);
            if (ending == ReleaseReason.DEALLOCATED) {
                reportNextOwner(allocation);
            }
            allocation.markFreedByHandle();
            requireFirstFree(allocation, ending);
            return;
        }
        boolean givenBack = isFreed(allocation);
        if (!givenBack
                && allocation.kind() == Kind.LOCK_STEP
                && reports.has(RuntimeDefect.MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES)) {
            crash(allocation, "its mesh is closed, and the buffer calls allocators of its devices that are gone");
        }
        if (givenBack) {
            subDevices.requireManagerOf(allocation);
            allocation.markFreed(release);
            reports.freed(release, allocation, ending);
            free(allocation);
            misuse.freed(allocation, release);
        } else {
            allocation.markFreed(release);
            reports.freedAfterClose(release, allocation, ending);
            if (ending == ReleaseReason.DEALLOCATED) {
                requireSameOpenPeriod(allocation);
                misuse.freeAfterClose(allocation);
            }
        }
    }

    /**
     * Reports that memory was freed by address and is another buffer's by the time its handle is freed. In the runtime either the
     * first free hit a buffer in use, or this one frees the other buffer.
     */
    private void reportNextOwner(Allocation allocation) {
        if (allocation.isFreedByAddress() && lockStepOf(allocation.type()).containsKey(key(allocation.address()))) {
            allocation
                    .freedBy()
                    .ifPresent(byAddress ->
                            reports.freeIgnored(byAddress, allocation, IgnoredFreeReason.FREED_BY_ADDRESS));
        }
    }

    /** Rejects a second free. A destructor that finds nothing to free must not prevent others from freeing. */
    private void requireFirstFree(Allocation allocation, ReleaseReason ending) {
        if (allocation.isFreed() && ending == ReleaseReason.DEALLOCATED) {
            misuse.secondFree(allocation);
        }
    }

    /** Frees memory whose last handle was collected, unless it was freed before. */
    public void freeCollected(Allocation allocation) {
        if (!allocation.isFreed()) {
            free(allocation, ReleaseReason.COLLECTED);
            requireSameOpenPeriod(allocation);
        }
    }

    /** Leaves memory alone that was to be freed, because others share it. */
    public void releaseShared(Allocation allocation) {
        if (allocation.size() > 0 && reports.concern(allocation)) {
            MemoryRequest release = Answers.release(reports.listener(), allocation.details());
            reports.freeIgnored(release, allocation, IgnoredFreeReason.STILL_SHARED);
        }
    }

    /**
     * Clears the banks of the mesh, not those of sub-devices, and notifies neither listener nor buffers. A later free of such a
     * buffer frees the memory that is at its address then.
     */
    public void deallocateBuffers() {
        misuse.emptying(meshAllocator, meshId);
        meshAllocator.deallocateBuffers();
        lockStep.clear();
    }

    /**
     * Rejects a free in another open period. The real runtime would call the destroyed allocator of the earlier period (quirk
     * Q4); this is not simulated.
     */
    private void requireSameOpenPeriod(Allocation allocation) {
        if (allocation.kind() == Kind.ON_ONE_DEVICE && reports.isOpenedAgain(allocation)) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot free the %s buffer at %s of device %d: the device was closed and opened again since the buffer was"
                            + " created, and the runtime would call an allocator that is gone (undefined behaviour)."
                            + " Free it before close_mesh_device.",
                    allocation.type(),
                    Quantities.address(allocation.address()),
                    allocation.devices().get(0)));
        }
    }

    /** Simulates the end of the process by an invalid pointer: the listener receives a report that nothing was freed. */
    public void crash(Allocation allocation, String because) {
        MemoryRequest release = Answers.release(reports.listener(), allocation.details());
        reports.freeIgnored(release, allocation, IgnoredFreeReason.DEVICE_CLOSED);
        throw new IllegalStateException(InvariantText.of(
                "Segmentation fault: cannot free the %s buffer at %s: %s. This is a defect that was switched on.",
                allocation.type(), Quantities.address(allocation.address()), because));
    }

    /** Frees everything that the allocators of the mesh and its sub-devices have allocated, without reporting it. */
    public void freeAllSilently() {
        meshAllocator.deallocateBuffers();
        subDevices.localAllocators().values().forEach(Allocator::deallocateBuffers);
        forgetAllocated();
    }

    /** Frees memory that the runtime allocated for itself, which one defect does without a report. */
    public void freeForRuntime(Allocation allocation) {
        if (!reports.has(RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING)) {
            free(allocation, ReleaseReason.DIED);
            return;
        }
        allocation.markFreed();
        free(allocation);
        misuse.freed(allocation);
    }

    /** Frees the memory at an address on all devices. */
    public void freeAddress(BufferType type, long address) {
        Allocation allocation = lockStepOf(type).get(key(address));
        if (allocation == null) {
            reports.unknownAddress(type, address);
            misuse.unknownAddress(type, address, meshAllocator, devices);
        } else {
            allocation.markFreedByAddress();
            free(allocation, ReleaseReason.DEALLOCATED);
        }
    }

    public OptionalLong lowestOccupiedL1Address(int device) {
        DeviceOpenPeriod life = openPeriodOf(device);
        return life.hasAllocated() ? life.allocator().lowestOccupiedL1Address() : OptionalLong.empty();
    }

    public Statistics statistics(BufferType type) {
        return meshAllocator.statistics(type);
    }

    /** Returns how full a memory of one sub-device of the active manager is. */
    public Statistics statistics(BufferType type, SubDeviceId subDevice) {
        return subDevices.active().allocator(subDevice).statistics(type);
    }

    public SubDeviceManagers subDevices() {
        return subDevices;
    }

    /** Returns the mesh's own allocator. */
    public Allocator allocator() {
        return meshAllocator;
    }

    /**
     * Returns the total memory of the mesh's own allocator on each device; kinds of memory that it does not have are omitted.
     */
    public List<MemoryCapacity> capacities() {
        List<MemoryCapacity> all = new ArrayList<>(ALLOCATABLE_TYPES.size());
        for (BufferType type : allocated()) {
            all.add(new MemoryCapacity(type, meshAllocator.numBanks(type), meshAllocator.bankSize(type))
                    .startingAt(meshAllocator.bankBase(type)));
        }
        return all;
    }

    /** Returns how the free memory of the mesh's own allocator lies. */
    public List<FreeSpace> freeSpace() {
        List<FreeSpace> all = new ArrayList<>(ALLOCATABLE_TYPES.size());
        for (BufferType type : allocated()) {
            Statistics statistics = meshAllocator.statistics(type);
            all.add(new FreeSpace(type, devices, statistics.totalFree(), statistics.largestFree()));
        }
        return all;
    }

    /** The memories that there are. */
    private List<BufferType> allocated() {
        List<BufferType> there = new ArrayList<>(ALLOCATABLE_TYPES.size());
        for (BufferType type : ALLOCATABLE_TYPES) {
            if (meshAllocator.numBanks(type) > 0 && meshAllocator.bankSize(type) > 0) {
                there.add(type);
            }
        }
        return there;
    }

    /**
     * Returns the reserved addresses of each allocator: that of the mesh, those of its sub-devices, and those of the devices.
     *
     * @param ending the devices whose own allocators end with this close
     */
    public List<WitnessSnapshot> read(WitnessSnapshot.Moment moment, List<DeviceOpenPeriod> ending) {
        List<WitnessSnapshot> readings = new ArrayList<>(2);
        readings.add(read(moment, AllocatorId.MESH, meshAllocator));
        subDevices.localAllocators().forEach((id, allocator) -> readings.add(read(moment, id, allocator)));
        Map<Integer, Map<BufferType, List<Long>>> ofDevices = new HashMap<>();
        for (DeviceOpenPeriod life : ending) {
            if (life.hasAllocated() && !life.isOver()) {
                ofDevices.put(life.device(), liveAddresses(life.allocator()));
            }
        }
        if (!ofDevices.isEmpty()) {
            readings.add(new WitnessSnapshot(meshId, moment, Optional.of(AllocatorId.DEVICE), ofDevices));
        }
        return readings;
    }

    private WitnessSnapshot read(WitnessSnapshot.Moment moment, AllocatorId id, Allocator allocator) {
        Map<BufferType, List<Long>> addresses = liveAddresses(allocator);
        Map<Integer, Map<BufferType, List<Long>>> ofDevices = new HashMap<>();
        devices.forEach(device -> ofDevices.put(device, addresses));
        return new WitnessSnapshot(meshId, moment, Optional.of(id), ofDevices);
    }

    /** Returns the reserved addresses by memory, for all devices of an allocator. */
    private static Map<BufferType, List<Long>> liveAddresses(Allocator allocator) {
        Map<BufferType, List<Long>> addresses = new EnumMap<>(BufferType.class);
        for (BufferType type : ALLOCATABLE_TYPES) {
            addresses.put(
                    type, LongStream.of(allocator.liveAddresses(type)).boxed().toList());
        }
        return Map.copyOf(addresses);
    }

    /** Clears the allocators of the mesh and of its sub-devices without a report; buffers keep their state. */
    public void wipe() {
        subDevices.wipe();
        forgetAllocated();
    }

    private void forgetAllocated() {
        lockStep.clear();
        String closed = "mesh " + meshId + " was closed";
        misuse.wiped(meshAllocator, closed);
        subDevices.localAllocators().values().forEach(local -> misuse.wiped(local, closed));
    }

    /** Rejects to write or read a buffer that was freed, if the runtime is strict. */
    public void requireUsable(Allocation allocation, String use) {
        misuse.use(allocation, use);
    }

    /** Returns whether memory is freed, which requires that its allocating mesh or device is still initialised. */
    private boolean isFreed(Allocation allocation) {
        return allocation.kind() == Kind.ON_ONE_DEVICE
                ? allocation.devices().stream()
                        .noneMatch(device -> openPeriodOf(device).isOver())
                : state.isOpen();
    }

    private LongFunction<Optional<MemoryRequest>> requestsIn(Allocator allocator, BufferType type) {
        if (allocator == meshAllocator) {
            return address -> request(lockStepOf(type).get(key(address)));
        }
        Map<Long, Allocation> local = subDevices.active().allocations(allocator, type);
        return address -> request(local.get(address));
    }

    private LongFunction<Optional<MemoryRequest>> requestsOn(DeviceOpenPeriod life, BufferType type) {
        return address -> life.allocationAt(type, address).flatMap(Allocation::request);
    }

    private static Optional<MemoryRequest> request(@Nullable Allocation allocation) {
        return allocation == null ? Optional.empty() : allocation.request();
    }

    /**
     * Returns the blocks of L1 that are allocated by the mesh, or by the sub-device on which kernels run, in any order.
     *
     * @param kernels the known cores of each kernel
     */
    public List<MemoryShortage.Block> allocatedL1(Collection<CoreRange> kernels) {
        List<MemoryShortage.Block> blocks = new ArrayList<>();
        for (Allocator allocator : subDevices.allocatorsFor(kernels)) {
            blocks.addAll(allocator.blocks(BufferType.L1, requestsIn(allocator, BufferType.L1)));
        }
        return blocks;
    }

    /** Returns the blocks of L1 that are allocated by a device's own allocator, in any order. */
    public List<MemoryShortage.Block> allocatedL1(int device) {
        DeviceOpenPeriod life = openPeriodOf(device);
        return life.hasAllocated()
                ? life.allocator().blocks(BufferType.L1, requestsOn(life, BufferType.L1))
                : List.of();
    }

    /** Returns the blocks of the trace region, in any order. */
    public List<MemoryShortage.Block> allocatedTraces() {
        return meshAllocator.blocks(BufferType.TRACE, requestsIn(meshAllocator, BufferType.TRACE));
    }

    /**
     * Makes a manager of sub-devices the active one.
     *
     * @see SubDeviceManagers#load
     */
    public void load(SubDeviceManagerId id, IntConsumer resetWorkers) {
        try {
            subDevices.load(id, resetWorkers);
        } catch (InsufficientMemoryException occupied) {
            if (subDevices.hasLocalAllocations()) {
                throw occupied.causedBy(localMemoryKeptFrom(id));
            }
            // After the failure the mesh still lacks what the sub-devices of the active manager have.
            AddressRange l1 = new AddressRange(
                    meshAllocator.bankBase(BufferType.L1),
                    meshAllocator.managedRange(BufferType.L1).end());
            long size = subDevices.localL1SizeOf(id);
            String user = InvariantText.of("the sub-devices of manager %d", id.value());
            throw occupied.causedBy(
                    size > l1.size()
                            ? MemoryShortage.ofRegion(
                                    BufferType.L1,
                                    size,
                                    l1.size(),
                                    List.of(),
                                    new MemoryShortage.Region(
                                            "in each bank",
                                            user + " need " + Quantities.size(size) + " of each bank, which has "
                                                    + Quantities.size(l1.size()),
                                            "give them less local L1"))
                            : MemoryShortage.at(
                                    BufferType.L1,
                                    l1.start(),
                                    l1.start() + size,
                                    meshAllocator.blocks(BufferType.L1, requestsIn(meshAllocator, BufferType.L1)),
                                    user));
        }
    }

    /** Describes the memory of the first sub-device that keeps its manager loaded; each has the banks of its own cores. */
    private MemoryShortage localMemoryKeptFrom(SubDeviceManagerId id) {
        SubDeviceManager active = subDevices.active();
        Map<SubDeviceId, List<MemoryShortage.Block>> held = new LinkedHashMap<>();
        active.subDeviceIds()
                .forEach(subDevice -> active.findAllocator(subDevice)
                        .map(allocator -> allocator.blocks(BufferType.L1, requestsIn(allocator, BufferType.L1)))
                        .filter(blocks -> !blocks.isEmpty())
                        .ifPresent(blocks -> held.put(subDevice, blocks)));
        List<SubDeviceId> holding = List.copyOf(held.keySet());
        String others = holding.stream()
                .skip(1)
                .map(other -> "; sub-device " + other.value() + " has buffers too")
                .collect(Collectors.joining());
        String user = "the mesh and the sub-devices of manager " + id.value();
        if (active.numSubDevices() > 1) {
            user += " (here on the cores of sub-device " + holding.get(0).value() + others + ")";
        }
        long start = meshAllocator.bankBase(BufferType.L1);
        return MemoryShortage.at(
                BufferType.L1,
                start,
                start + active.localL1Size(),
                held.values().iterator().next(),
                user);
    }

    private Allocation allocate(
            Kind kind, Allocator allocator, List<Integer> on, BufferConfig buffer, AllocationDetails details) {
        if (buffer.size() == 0) {
            return new Allocation(kind, details, on, buffer, 0, null);
        }
        Allocation allocation = reserve(kind, allocator, on, buffer, details);
        MemoryRequest request = reports.allocated(allocation);
        allocation.reportedBy(request);
        misuse.allocated(allocation, request);
        return allocation;
    }

    private Allocation reserve(
            Kind kind, Allocator allocator, List<Integer> on, BufferConfig buffer, AllocationDetails details) {
        var request = BankLayout.of(buffer, allocator).request();
        process.faults().allocating(buffer.type(), on, () -> allocator.outOfMemory(buffer.type(), request));
        long address;
        try {
            address = allocator.allocate(buffer.type(), request);
        } catch (DeviceOutOfMemoryException full) {
            LongFunction<Optional<MemoryRequest>> requests = kind == Kind.ON_ONE_DEVICE
                    ? requestsOn(openPeriodOf(on.get(0)), buffer.type())
                    : requestsIn(allocator, buffer.type());
            throw full.causedBy(allocator.shortageOf(buffer.type(), request, requests));
        }
        long extent = allocator.reservedPerBank(buffer.type(), request);
        AllocatorId id = kind == Kind.ON_ONE_DEVICE ? AllocatorId.DEVICE : subDevices.idOf(allocator);
        AllocationDetails reserved = details.onMesh(meshId).fromAllocator(id).withExtent(extent);
        return new Allocation(kind, reserved, on, buffer, address, allocator);
    }

    private void free(Allocation allocation) {
        allocation.allocator().ifPresent(lender -> lender.deallocate(allocation.type(), allocation.address()));
        if (allocation.kind() == Kind.ON_ONE_DEVICE) {
            openPeriodOf(allocation.devices().get(0)).freed(allocation);
        } else if (subDevices.isLocal(allocation)) {
            subDevices.free(allocation);
        } else if (allocation.kind() == Kind.LOCK_STEP) {
            lockStepOf(allocation.type()).remove(key(allocation.address()));
        }
    }

    private Map<Long, Allocation> lockStepOf(BufferType type) {
        return lockStep.computeIfAbsent(type, unused -> new HashMap<>());
    }

    /** Addresses are multiples of a page, which would all fall into a few of a hash table's places. No two share a key. */
    private static long key(long address) {
        return address * 0x9E37_79B9_7F4A_7C15L;
    }

    private DeviceOpenPeriod openPeriodOf(int device) {
        return Objects.requireNonNull(openPeriods.get(device));
    }

    /** Returns the allocator of a buffer on the mesh. Only this method selects it. */
    private Allocator allocatorFor(BufferConfig buffer) {
        buffer.subDevice().map(subDevices.active()::cores).ifPresent(buffer::requireWithin);
        return subDevices.allocatorOf(buffer.subDevice());
    }

    private static void requireWholeDevice(int device, BufferConfig buffer) {
        if (buffer.subDevice().isPresent()) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot create a buffer for sub-device %d on device %d alone: sub-devices belong to a mesh."
                            + " Create it on the mesh, or name no sub-device.",
                    buffer.subDevice().get().value(), device));
        }
    }

    /** Checks an address. Buffers return their address in 32 bits, in which all banks fit (quirk Q13). */
    private static void requireAddress(long address) {
        if (address < 0 || address > HIGHEST_ADDRESS) {
            throw new IllegalArgumentException(InvariantText.of(
                    "There is no buffer at address %d: an address is a number from 0 to %d", address, HIGHEST_ADDRESS));
        }
    }

    /** Adds the bytes of the buffer in every bank, as if the mesh had allocated it. */
    private AllocationDetails withExtent(AllocationDetails details, BufferConfig buffer) {
        BankLayout layout = BankLayout.of(buffer, meshAllocator);
        return buffer.size() == 0 || layout.maxPagesPerBank() == 0
                ? details.onMesh(meshId)
                : details.onMesh(meshId).withExtent(meshAllocator.reservedPerBank(buffer.type(), layout.request()));
    }
}
