package dev.meshguard.verdict.growth;

import dev.meshguard.event.Origin;
import dev.meshguard.verdict.AllocationSite;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of one site over the rounds, on devices where it is equal.
 *
 * @param site the common properties of the buffers
 * @param origin the place that requested the oldest of them, if it was captured
 * @param devices the devices, ascending
 * @param buffers how many buffers each round retained on each of them
 * @param bytes their bytes
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SiteGrowth(
        AllocationSite site, Optional<Origin> origin, List<Integer> devices, RoundVector buffers, RoundVector bytes) {

    /** Creates a growth with its own copy of the devices. */
    public SiteGrowth {
        devices = List.copyOf(devices);
    }
}
