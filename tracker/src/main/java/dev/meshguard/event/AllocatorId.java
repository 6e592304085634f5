package dev.meshguard.event;

import dev.meshguard.text.InvariantText;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Identifies the allocator that reserved a buffer's memory.
 *
 * <p>A mesh, each of its devices and each sub-device with local L1 have one allocator each. The allocators do not know
 * each other, and two of them can reserve the same address. {@link AllocationDetails#mesh()} names the mesh, except for
 * a device's own allocator.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code tt_metal/impl/sub_device/sub_device_manager.cpp} and
 * {@code tt_metal/impl/device/device.cpp}.
 *
 * @param kind the kind of its owner
 * @param manager the number of the sub-device manager, from 0; 0 where there is no sub-device
 * @param subDevice the number of the sub-device in its manager, from 0; 0 where there is none
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AllocatorId(Kind kind, int manager, int subDevice) {

    /** The owner of an allocator. */
    public enum Kind {
        /** A mesh: the allocator reserves the same address on every device of the mesh. */
        MESH,
        /** A device: the allocator reserves memory of that device alone and belongs to no mesh. */
        DEVICE,
        /** A sub-device: the allocator reserves L1 of the sub-device's cores on every device of the mesh. */
        SUB_DEVICE
    }

    /** The allocator of a mesh. */
    public static final AllocatorId MESH = new AllocatorId(Kind.MESH, 0, 0);

    /** A device's own allocator. */
    public static final AllocatorId DEVICE = new AllocatorId(Kind.DEVICE, 0, 0);

    /**
     * Creates an id.
     *
     * @throws IllegalArgumentException if a number is negative, or is not 0 for an allocator that belongs to no
     *     sub-device
     */
    public AllocatorId {
        if (manager < 0 || subDevice < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("There is no sub-device %d of manager %d: both count from 0", subDevice, manager));
        }
        if (kind != Kind.SUB_DEVICE && (manager > 0 || subDevice > 0)) {
            throw new IllegalArgumentException(
                    "Only an allocator of kind SUB_DEVICE has a manager and a sub-device, and this one is of kind "
                            + kind + ": leave both 0");
        }
    }

    /** Returns the allocator of a sub-device. */
    public static AllocatorId subDevice(int manager, int subDevice) {
        return new AllocatorId(Kind.SUB_DEVICE, manager, subDevice);
    }

    /** Returns whether two reports can be about one allocator: they name the same one, or one of them names none. */
    public static boolean mayBeOne(Optional<AllocatorId> one, Optional<AllocatorId> other) {
        return one.isEmpty() || other.isEmpty() || one.get().equals(other.get());
    }

    /**
     * Returns whether the memories of two allocators of one mesh never overlap, as far as both are named.
     *
     * <p>Two sub-devices of one manager have no core in common.
     */
    public static boolean areDistinct(Optional<AllocatorId> one, Optional<AllocatorId> other) {
        return one.isPresent() && other.filter(one.get()::isBeside).isPresent();
    }

    private boolean isBeside(AllocatorId other) {
        return kind == Kind.SUB_DEVICE
                && other.kind == Kind.SUB_DEVICE
                && manager == other.manager
                && subDevice != other.subDevice;
    }

    /** Returns a readable name: {@code mesh}, {@code device}, {@code sub-device 1 of manager 2}. */
    @Override
    public String toString() {
        return switch (kind) {
            case MESH -> "mesh";
            case DEVICE -> "device";
            case SUB_DEVICE -> "sub-device " + subDevice + " of manager " + manager;
        };
    }
}
