package dev.meshguard.verdict.growth;

import dev.meshguard.event.Origin;
import dev.meshguard.verdict.AllocationSite;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What the rounds left behind that one site asked for, on devices where it did the same.
 *
 * @param site what the buffers have in common
 * @param origin where the oldest of them was asked for, if that was captured
 * @param devices the devices, ascending
 * @param buffers how many buffers each round left on each of them
 * @param bytes their bytes
 * @param trend where that leads
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SiteGrowth(
        AllocationSite site,
        Optional<Origin> origin,
        List<Integer> devices,
        RoundVector buffers,
        RoundVector bytes,
        Trend trend) {

    /** Creates a finding with its own copy of the devices. */
    public SiteGrowth {
        devices = List.copyOf(devices);
    }
}
