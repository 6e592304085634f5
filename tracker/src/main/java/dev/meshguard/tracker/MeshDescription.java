package dev.meshguard.tracker;

import java.util.List;
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
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshDescription(int id, String name, List<Integer> devices, int busiestDevice) {

    /** Creates a description with its own copy of the device list. */
    public MeshDescription {
        devices = List.copyOf(devices);
    }

    /** Returns a description of a mesh whose devices are all reported alike. */
    public static MeshDescription of(int id, String name, List<Integer> devices) {
        return new MeshDescription(id, name, devices, -1);
    }
}
