package dev.meshguard.event;

import dev.meshguard.text.InvariantText;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A mesh as a source reports it: its name, its devices in row-major order, its parent mesh, and the size of their memories.
 *
 * @param id the mesh's number, unique in one history
 * @param name a readable name, for example {@code 2x4 mesh (Wormhole B0)}
 * @param devices the device ids
 * @param busiestDevice the device under which the source reports more than the device holds, or -1 if all devices are
 *     reported alike; some runtimes report allocations of the whole mesh under one device
 * @param parent the parent mesh, if this mesh is a submesh
 * @param capacities the size of each memory of a device, as far as the source knows it; needed to show how much of it is
 *     free
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshDescription(
        int id,
        String name,
        List<Integer> devices,
        int busiestDevice,
        OptionalInt parent,
        List<MemoryCapacity> capacities) {

    /**
     * The size of one memory of a device that is available for buffers.
     *
     * <p>A buffer occupies whole pages at one address in every bank, so memory is full when one bank is full. Compare the
     * size of a bank with what is reserved in it, never with the sum of the reported sizes.
     *
     * @param type the memory
     * @param banks the number of banks, at least 1
     * @param bytesPerBank the bytes of each bank that an allocator can reserve
     * @param base the lowest address that an allocator can reserve, the same in every bank, if the source knows it; without it
     *     the free space below the lowest and above the highest buffer cannot be told apart
     */
    public record MemoryCapacity(BufferType type, int banks, long bytesPerBank, OptionalLong base) {

        /**
         * Creates a capacity.
         *
         * @throws IllegalArgumentException if there is no bank, or the bytes of a bank are negative
         */
        public MemoryCapacity {
            if (banks < 1 || bytesPerBank < 0) {
                throw new IllegalArgumentException(InvariantText.of(
                        "A memory has at least 1 bank of 0 bytes or more: %s was given %d of %d bytes",
                        type, banks, bytesPerBank));
            }
        }

        /** Creates a capacity of a memory whose lowest address is unknown. */
        public MemoryCapacity(BufferType type, int banks, long bytesPerBank) {
            this(type, banks, bytesPerBank, OptionalLong.empty());
        }

        /** Returns this capacity with the lowest address that an allocator can reserve. */
        public MemoryCapacity startingAt(long address) {
            return new MemoryCapacity(type, banks, bytesPerBank, OptionalLong.of(address));
        }
    }

    /** Creates a description with its own copies of the lists. */
    public MeshDescription {
        devices = List.copyOf(devices);
        capacities = List.copyOf(capacities);
    }

    /** Creates a description of a mesh that is no submesh and whose memory is of unknown size. */
    public MeshDescription(int id, String name, List<Integer> devices, int busiestDevice) {
        this(id, name, devices, busiestDevice, OptionalInt.empty(), List.of());
    }

    /** Returns a description of a mesh whose devices are all reported alike. */
    public static MeshDescription of(int id, String name, List<Integer> devices) {
        return new MeshDescription(id, name, devices, -1);
    }

    /**
     * Returns this description as that of a submesh of another mesh.
     *
     * <p>Use the shape and the word as name, {@code 1x2 submesh}: see {@link #description()}.
     *
     * @param newParent the number of the parent mesh
     */
    public MeshDescription withParent(int newParent) {
        return new MeshDescription(id, name, devices, busiestDevice, OptionalInt.of(newParent), capacities);
    }

    /** Returns this description with the size of each memory of its devices. */
    public MeshDescription withCapacities(List<MemoryCapacity> newCapacities) {
        return new MeshDescription(id, name, devices, busiestDevice, parent, newCapacities);
    }

    /** Returns the size of one memory of each device, if known. */
    public Optional<MemoryCapacity> capacityOf(BufferType type) {
        return capacities.stream().filter(capacity -> capacity.type() == type).findFirst();
    }

    /** Returns a readable name; a submesh also names its parent: {@code 1x2 submesh of mesh 0}. */
    public String description() {
        return parent.isPresent() ? name + " of mesh " + parent.getAsInt() : name;
    }
}
