package dev.meshguard.verdict.growth;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
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
 * @param owners the objects of the runtime that keep or kept them, in the order of their buffers
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SiteGrowth(
        AllocationSite site,
        Optional<Origin> origin,
        List<Integer> devices,
        RoundVector buffers,
        RoundVector bytes,
        List<Owner> owners) {

    /** Creates a growth with its own copies of the lists. */
    public SiteGrowth {
        devices = List.copyOf(devices);
        owners = List.copyOf(owners);
    }

    /** Returns the trend of the bytes; of the number of buffers if their size is unknown. */
    public Trend trend() {
        boolean isOfUnknownSize = bytes.isZero() && devices.equals(List.of(HistoryEvent.NO_DEVICE));
        return (isOfUnknownSize ? buffers : bytes).trend();
    }
}
