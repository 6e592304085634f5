package dev.meshguard.history;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The canaries of one mesh that did not arrive.
 *
 * @param planted the number of the event that announced them
 * @param mesh the mesh
 * @param unseen the devices whose canary was never reported, ascending
 * @param unfreed the devices whose canary was reported but not its free, ascending
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MissingCanary(long planted, int mesh, List<Integer> unseen, List<Integer> unfreed) {

    /** Creates a record with its own copies of the lists. */
    public MissingCanary {
        unseen = List.copyOf(unseen);
        unfreed = List.copyOf(unfreed);
    }
}
