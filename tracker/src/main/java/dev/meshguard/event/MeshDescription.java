package dev.meshguard.event;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A mesh as a source reports it: a name and the devices in row-major order.
 *
 * @param id the mesh's number, unique in one history
 * @param name how a person calls it, for example {@code 2x4 mesh (Wormhole B0)}
 * @param devices the device ids
 * @param busiestDevice the device that the source reports more for than it holds, or -1 when all are reported alike:
 *     some runtimes report what belongs to the whole mesh under one device
 * @param parent the mesh that this one is a submesh of, if it is one
 * @param capacities what each device has of each memory, as far as the source knows it; needed to say when memory will be full
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

    /** Creates a description with its own copies of the lists. */
    public MeshDescription {
        devices = List.copyOf(devices);
        capacities = List.copyOf(capacities);
    }

    /** Creates a description of a mesh whose memory is of unknown size. */
    public MeshDescription(int id, String name, List<Integer> devices, int busiestDevice, OptionalInt parent) {
        this(id, name, devices, busiestDevice, parent, List.of());
    }

    /** Creates a description of a mesh that is no submesh. */
    public MeshDescription(int id, String name, List<Integer> devices, int busiestDevice) {
        this(id, name, devices, busiestDevice, OptionalInt.empty());
    }

    /** Returns a description of a mesh whose devices are all reported alike. */
    public static MeshDescription of(int id, String name, List<Integer> devices) {
        return new MeshDescription(id, name, devices, -1);
    }

    /**
     * Returns this description of a submesh of another mesh.
     *
     * <p>The name is best the shape and the word, {@code 1x2 submesh}: see {@link #description()}.
     *
     * @param newParent the number of the mesh that it is a part of
     */
    public MeshDescription withParent(int newParent) {
        return new MeshDescription(id, name, devices, busiestDevice, OptionalInt.of(newParent), capacities);
    }

    /** Returns this description with what each of its devices has of each memory. */
    public MeshDescription withCapacities(List<MemoryCapacity> newCapacities) {
        return new MeshDescription(id, name, devices, busiestDevice, parent, newCapacities);
    }

    /** Returns what each device has of one memory, if that is known. */
    public Optional<MemoryCapacity> capacityOf(BufferType type) {
        return capacities.stream().filter(capacity -> capacity.type() == type).findFirst();
    }

    /** Returns how a person calls it, and of a submesh whose it is: {@code 1x2 submesh of mesh 0}. */
    public String description() {
        return parent.isPresent() ? name + " of mesh " + parent.getAsInt() : name;
    }
}
