package dev.meshguard.mesh.internal.memory;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.process.RuntimeProcess;
import dev.meshguard.text.InvariantText;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sub-device managers of one mesh, of which one is loaded.
 *
 * <p>While a manager with local L1 is loaded, the mesh's own L1 list is shorter by it at the bottom, where the sub-devices
 * allocate. Guarded by the lock of the mesh. Source: {@code tt_metal/impl/sub_device/sub_device_manager_tracker.cpp}.
 */
public final class SubDeviceManagers {

    private final RuntimeProcess process;
    private final AllocatorConfig config;
    private final CoreRange grid;
    private final Allocator meshAllocator;
    private final Map<SubDeviceManagerId, SubDeviceManager> managers = new LinkedHashMap<>();
    /** The allocators of managers that were removed. */
    private final Map<AllocatorId, Allocator> removed = new LinkedHashMap<>();

    private @Nullable SubDeviceManager initial;
    private @Nullable SubDeviceManager active;

    SubDeviceManagers(RuntimeProcess process, AllocatorConfig config, Allocator meshAllocator) {
        this.process = process;
        this.config = config;
        this.grid = process.computeGrid();
        this.meshAllocator = meshAllocator;
    }

    /** Begins with the default manager. */
    public void begin() {
        SubDeviceManager undivided = SubDeviceManager.undivided(process.nextSubDeviceManagerId(), grid, meshAllocator);
        managers.put(undivided.id(), undivided);
        initial = undivided;
        active = undivided;
    }

    public SubDeviceManager active() {
        return Objects.requireNonNull(active);
    }

    public SubDeviceManager initial() {
        return Objects.requireNonNull(initial);
    }

    public boolean isDefaultActive() {
        return active() == initial();
    }

    /**
     * Adds a manager; it is not loaded.
     *
     * @throws MeshRuntimeException if the sub-devices cannot be laid out so; a number is used up even then
     */
    public SubDeviceManagerId create(List<SubDevice> subDevices, long localL1Size) {
        if (localL1Size < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot give sub-devices %d B of L1: a size is 0 or more", localL1Size));
        }
        SubDeviceManager created = SubDeviceManager.divided(
                process.nextSubDeviceManagerId(), grid, subDevices, localL1Size, config, process.unsafeAllocations());
        managers.put(created.id(), created);
        return created.id();
    }

    /**
     * Makes a manager the active one.
     *
     * <p>If the sub-devices would allocate the address of a live L1 buffer of the mesh, the runtime throws, or overlooks the
     * buffer (quirk Q15). After the error the mesh's list lacks the part that was removed for the manager. Here it always
     * throws, and only the queues change: they count as used.
     *
     * @param resetWorkers prepares the command queues for a number of sub-devices
     * @throws InsufficientMemoryException if sub-devices have memory allocated, or the mesh has allocated addresses of theirs
     * @throws MeshRuntimeException if there is no such manager
     */
    public void load(SubDeviceManagerId id, IntConsumer resetWorkers) {
        if (active().id().equals(id)) {
            return;
        }
        if (hasLocalAllocations()) {
            throw new InsufficientMemoryException(
                    "Cannot switch sub device managers while sub devices still have local allocations");
        }
        SubDeviceManager loaded = find(id);
        resetWorkers.accept(loaded.numSubDevices());
        meshAllocator.resetSize(BufferType.L1);
        AllOrNothing.run(
                () -> meshAllocator.shrinkSize(BufferType.L1, loaded.localL1Size()),
                () -> meshAllocator.shrinkSize(BufferType.L1, active().localL1Size()));
        active = loaded;
    }

    /** Returns whether sub-devices of the active manager have memory allocated, so that no other manager can be loaded. */
    boolean hasLocalAllocations() {
        return !isDefaultActive() && active().hasAllocations();
    }

    /**
     * Removes a manager and frees everything that its sub-devices have allocated.
     *
     * @return the manager; the caller must end its traces
     * @throws MeshRuntimeException if it is the active or the default one, or there is no such manager
     */
    public SubDeviceManager remove(SubDeviceManagerId id) {
        if (active().id().equals(id)) {
            throw new MeshRuntimeException("Cannot remove active sub device manager %d", id.value());
        }
        if (initial().id().equals(id)) {
            throw new MeshRuntimeException("Cannot remove default sub device manager %d", id.value());
        }
        SubDeviceManager found = find(id);
        found.wipe();
        managers.remove(id);
        removed.putAll(localAllocatorsOf(found));
        return found;
    }

    /** Returns the allocator of a sub-device or, if none is named, of the mesh. */
    Allocator allocatorOf(Optional<SubDeviceId> subDevice) {
        return subDevice.map(active()::allocator).orElse(meshAllocator);
    }

    /** Records an allocation that the allocator of a sub-device made. */
    void allocate(Allocation allocation) {
        active().allocate(allocation);
    }

    /**
     * Checks that the manager of memory to free is loaded.
     *
     * <p>No call can violate this as long as managers with memory allocated cannot be unloaded.
     */
    void requireManagerOf(Allocation allocation) {
        if (isLocal(allocation)) {
            managers.values().stream()
                    .filter(manager -> manager != active && manager.hasAllocated(allocation))
                    .findFirst()
                    .ifPresent(manager -> {
                        throw new MeshRuntimeException(
                                "Sub-device manager id mismatch. Buffer sub-device manager id: %d,"
                                        + " Device active sub-device manager id: %d",
                                manager.id().value(), active().id().value());
                    });
        }
    }

    /** Records a free. */
    void free(Allocation allocation) {
        if (isLocal(allocation)) {
            managers.values().forEach(manager -> manager.free(allocation));
        }
    }

    /** Whether the memory is allocated by a sub-device and not by the mesh. */
    boolean isLocal(Allocation allocation) {
        return allocation.kind() == Allocation.Kind.LOCK_STEP
                && allocation.allocator().orElse(meshAllocator) != meshAllocator;
    }

    /**
     * Returns the allocators of the sub-devices of all managers, loaded or not, and of removed managers, which have no
     * allocations.
     */
    Map<AllocatorId, Allocator> localAllocators() {
        if (managers.size() == 1 && removed.isEmpty()) {
            return Map.of();
        }
        Map<AllocatorId, Allocator> local = new LinkedHashMap<>(removed);
        for (SubDeviceManager manager : managers.values()) {
            if (manager != initial()) {
                local.putAll(localAllocatorsOf(manager));
            }
        }
        return local;
    }

    private static Map<AllocatorId, Allocator> localAllocatorsOf(SubDeviceManager manager) {
        Map<AllocatorId, Allocator> local = new LinkedHashMap<>();
        for (SubDeviceId subDevice : manager.subDeviceIds()) {
            manager.findAllocator(subDevice)
                    .ifPresent(allocator ->
                            local.put(AllocatorId.subDevice(manager.id().value(), subDevice.value()), allocator));
        }
        return local;
    }

    /** Returns how reports call an allocator of the mesh or of the active manager. */
    AllocatorId idOf(Allocator allocator) {
        if (allocator == meshAllocator) {
            return AllocatorId.MESH;
        }
        for (Map.Entry<AllocatorId, Allocator> local :
                localAllocatorsOf(active()).entrySet()) {
            if (local.getValue() == allocator) {
                return local.getKey();
            }
        }
        throw new IllegalStateException("The allocator is of no sub-device of the active manager");
    }

    /** Returns how reports call a sub-device of the active manager; empty if the mesh is not divided. */
    public Optional<AllocatorId> idOf(SubDeviceId subDevice) {
        return isDefaultActive()
                ? Optional.empty()
                : Optional.of(AllocatorId.subDevice(active().id().value(), subDevice.value()));
    }

    /** Returns the allocators of the mesh and of the sub-device on which kernels run. */
    Set<Allocator> allocatorsFor(Collection<CoreRange> kernels) {
        Set<Allocator> all = new LinkedHashSet<>();
        all.add(meshAllocator);
        active().findAllocator(subDeviceOf(kernels)).ifPresent(all::add);
        return all;
    }

    /** Returns the bytes of L1 that a manager needs for its sub-devices; 0 if there is no such manager. */
    long localL1SizeOf(SubDeviceManagerId id) {
        SubDeviceManager manager = managers.get(id);
        return manager == null ? 0 : manager.localL1Size();
    }

    /**
     * Returns the lowest L1 address that is allocated by the mesh or by sub-devices of the active manager.
     *
     * @param subDevices the sub-devices; all if empty
     * @throws MeshRuntimeException if there is no such sub-device
     */
    public OptionalLong lowestOccupiedComputeL1Address(Collection<SubDeviceId> subDevices) {
        Collection<SubDeviceId> asked =
                subDevices.isEmpty() && !isDefaultActive() ? active().subDeviceIds() : subDevices;
        Stream<Allocator> local = asked.stream().map(active()::findAllocator).flatMap(Optional::stream);
        return Stream.concat(Stream.of(meshAllocator), local)
                .map(allocator -> allocator.lowestOccupiedL1Address())
                .flatMapToLong(OptionalLong::stream)
                .min();
    }

    /**
     * Returns the lowest allocated L1 address on the cores where a program may place circular buffers.
     *
     * @param kernels the known cores of each kernel of the program
     */
    public OptionalLong lowestOccupiedL1AddressFor(Collection<CoreRange> kernels) {
        return lowestOccupiedComputeL1Address(List.of(subDeviceOf(kernels)));
    }

    /**
     * Returns the sub-device on which kernels run.
     *
     * <p>Kernels without cores use those of the first sub-device, as the operations of ttnn do.
     *
     * @param kernels the known cores of each kernel
     * @throws MeshRuntimeException if they do not run on one sub-device
     */
    public SubDeviceId subDeviceOf(Collection<CoreRange> kernels) {
        if (isDefaultActive() || kernels.isEmpty()) {
            return new SubDeviceId(0);
        }
        TreeSet<Integer> used = new TreeSet<>();
        for (CoreRange kernel : kernels) {
            int covered = 0;
            for (SubDeviceId subDevice : active().subDeviceIds()) {
                int common = active().cores(subDevice).ranges().stream()
                        .flatMap(range -> range.intersection(kernel).stream())
                        .mapToInt(CoreRange::size)
                        .sum();
                covered += common;
                if (common > 0) {
                    used.add(subDevice.value());
                }
            }
            if (covered != kernel.size()) {
                throw new MeshRuntimeException(
                        "Kernel group cores do not match sub device cores for programmable core type TENSIX");
            }
        }
        if (used.size() != 1) {
            throw new MeshRuntimeException("Programs must be executed on a single sub-device");
        }
        return new SubDeviceId(used.first());
    }

    /** Frees everything without notifying the owners; the traces are removed. */
    void wipe() {
        for (SubDeviceManager manager : managers.values()) {
            manager.wipe();
            manager.traces().clear();
        }
    }

    private SubDeviceManager find(SubDeviceManagerId id) {
        SubDeviceManager found = managers.get(id);
        if (found == null) {
            throw new MeshRuntimeException("Sub device manager does not exist");
        }
        return found;
    }
}
