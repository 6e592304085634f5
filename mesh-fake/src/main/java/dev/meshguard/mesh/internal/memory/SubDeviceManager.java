package dev.meshguard.mesh.internal.memory;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarner;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One way to divide the devices of a mesh into sub-devices, with the memory of each and the traces that were captured under it.
 *
 * <p>Guarded by the lock of the mesh. Source: {@code tt_metal/impl/sub_device/sub_device_manager.cpp}.
 */
public final class SubDeviceManager {

    /** {@code DispatchSettings::DISPATCH_MESSAGE_ENTRIES}. */
    private static final int MAX_SUB_DEVICES = 8;

    private final SubDeviceManagerId id;
    private final List<SubDevice> subDevices;
    private final List<Optional<Allocator>> allocators;
    private final long localL1Size;
    private final Set<Allocation> allocated = new HashSet<>();
    private final Map<TraceId, MeshTrace> traces = new LinkedHashMap<>();

    private SubDeviceManager(
            SubDeviceManagerId id, List<SubDevice> subDevices, List<Optional<Allocator>> allocators, long localL1Size) {
        this.id = id;
        this.subDevices = List.copyOf(subDevices);
        this.allocators = allocators;
        this.localL1Size = localL1Size;
    }

    /** Returns the initial manager of a mesh: one sub-device with the whole grid, which uses the mesh's allocator. */
    static SubDeviceManager undivided(SubDeviceManagerId id, CoreRange grid, Allocator ofMesh) {
        return new SubDeviceManager(id, List.of(SubDevice.of(grid)), List.of(Optional.of(ofMesh)), 0);
    }

    /**
     * Returns a manager that divides the grid.
     *
     * @param config how the mesh divides its memory
     * @param localL1Size the bytes at the bottom of L1 that each sub-device allocates by itself; rounded up to the L1 alignment
     * @throws MeshRuntimeException if there is no sub-device or too many, one does not lie in the grid, or two intersect
     */
    static SubDeviceManager divided(
            SubDeviceManagerId id,
            CoreRange grid,
            List<SubDevice> subDevices,
            long localL1Size,
            AllocatorConfig config,
            UnsafeAllocationWarner warning) {
        requireValid(subDevices, grid);
        long aligned = Rounding.up(localL1Size, config.l1().alignment());
        List<Optional<Allocator>> allocators = subDevices.stream()
                .map(subDevice -> localAllocator(subDevice, aligned, config, warning))
                .toList();
        return new SubDeviceManager(id, subDevices, allocators, aligned);
    }

    public SubDeviceManagerId id() {
        return id;
    }

    long localL1Size() {
        return localL1Size;
    }

    public int numSubDevices() {
        return subDevices.size();
    }

    public List<SubDeviceId> subDeviceIds() {
        List<SubDeviceId> ids = new ArrayList<>(subDevices.size());
        for (int id = 0; id < subDevices.size(); id++) {
            ids.add(new SubDeviceId(id));
        }
        return ids;
    }

    public CoreRangeSet cores(SubDeviceId subDevice) {
        return subDevices.get(indexOf(subDevice)).cores();
    }

    /** Returns the allocator of a sub-device, if it has one. */
    Optional<Allocator> findAllocator(SubDeviceId subDevice) {
        return allocators.get(indexOf(subDevice));
    }

    /** The allocator of a sub-device, which must have one. */
    Allocator allocator(SubDeviceId subDevice) {
        return findAllocator(subDevice)
                .orElseThrow(() -> new MeshRuntimeException("SubDevice allocator not initialized"));
    }

    List<Allocator> allocators() {
        List<Allocator> own = new ArrayList<>(allocators.size());
        for (Optional<Allocator> allocator : allocators) {
            allocator.ifPresent(own::add);
        }
        return own;
    }

    /** Records an allocation in the memory of one of its sub-devices. */
    public void allocate(Allocation allocation) {
        allocated.add(allocation);
    }

    /** Records a free, if a sub-device of this manager allocated the memory. */
    public void free(Allocation allocation) {
        allocated.remove(allocation);
    }

    boolean hasAllocated(Allocation allocation) {
        return allocated.contains(allocation);
    }

    /** Returns what one of its sub-devices has allocated in a memory, by address. */
    Map<Long, Allocation> allocations(Allocator allocator, BufferType type) {
        Map<Long, Allocation> byAddress = new HashMap<>();
        for (Allocation one : allocated) {
            if (one.type() == type
                    && one.allocator().filter(own -> own == allocator).isPresent()) {
                byAddress.put(one.address(), one);
            }
        }
        return byAddress;
    }

    boolean hasAllocations() {
        return !allocated.isEmpty();
    }

    /** The traces that were begun under this manager and not released. */
    public Map<TraceId, MeshTrace> traces() {
        return traces;
    }

    /** Frees everything that its sub-devices have allocated, without notifying the owners. */
    void wipe() {
        for (Allocator allocator : allocators()) {
            allocator.deallocateBuffers();
            allocator.clear();
        }
        allocated.clear();
    }

    private int indexOf(SubDeviceId subDevice) {
        if (subDevice.value() >= subDevices.size()) {
            throw new MeshRuntimeException("SubDevice index %d out of bounds %d", subDevice.value(), subDevices.size());
        }
        return subDevice.value();
    }

    private static void requireValid(List<SubDevice> subDevices, CoreRange grid) {
        if (subDevices.isEmpty()) {
            throw new MeshRuntimeException("sub_device_ids to stall must not be empty");
        }
        if (subDevices.size() > MAX_SUB_DEVICES) {
            throw new MeshRuntimeException(
                    "Number of sub-devices specified %d is larger than the max number of sub-devices %d",
                    subDevices.size(), MAX_SUB_DEVICES);
        }
        List<CoreRange> used = new ArrayList<>();
        for (SubDevice subDevice : subDevices) {
            if (!subDevice.cores().ranges().stream().allMatch(grid::contains)) {
                throw new MeshRuntimeException(
                        "Tensix cores %s specified in sub device must be within device grid %s",
                        subDevice.cores(), grid);
            }
        }
        for (SubDevice subDevice : subDevices) {
            if (used.stream().anyMatch(subDevice.cores()::intersects)) {
                throw new MeshRuntimeException("SubDevices specified for SubDeviceManager intersect");
            }
            used.addAll(subDevice.cores().ranges());
        }
    }

    /**
     * Creates an allocator of the requested bytes of L1, from the base of the mesh upwards; empty for a sub-device without
     * cores.
     */
    private static Optional<Allocator> localAllocator(
            SubDevice subDevice, long localL1Size, AllocatorConfig config, UnsafeAllocationWarner warning) {
        if (localL1Size == 0 || subDevice.cores().numCores() == 0) {
            return Optional.empty();
        }
        AllocatorConfig.L1 l1 = config.l1();
        AllocatorConfig local = new AllocatorConfig(
                new AllocatorConfig.Dram(0, 0, 0, config.dram().alignment(), 0),
                new AllocatorConfig.L1(
                        subDevice.cores().numCores(),
                        l1.unreservedBase() + localL1Size,
                        l1.unreservedBase(),
                        l1.alignment(),
                        0),
                false);
        return Optional.of(Allocator.create(local, warning));
    }
}
