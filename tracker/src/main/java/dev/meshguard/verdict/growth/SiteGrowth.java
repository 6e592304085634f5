package dev.meshguard.verdict.growth;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.verdict.AllocationSite;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of one site over the rounds, on devices where it is equal.
 *
 * @param site the common properties of the buffers
 * @param words the words of the source that reported them
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
        SourceVocabulary words,
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

    /** Returns the site in the words of its source: {@code native memory from Store.open}. */
    public String name() {
        return site.text(words);
    }

    /** Returns whether the size of the buffers is unknown, as that of closeable objects. */
    public boolean isOfUnknownSize() {
        return bytes.isZero() && devices.equals(List.of(HistoryEvent.NO_DEVICE));
    }

    /** Returns the bytes on each device; the buffers if their size is unknown. */
    public RoundVector amounts() {
        return isOfUnknownSize() ? buffers : bytes;
    }

    /** Returns the trend of the {@linkplain #amounts() amounts}. */
    public Trend trend() {
        return amounts().trend();
    }
}
