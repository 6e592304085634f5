package dev.meshguard.verdict.budget;

import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.verdict.AllocationSite;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The use of a memory by one site at one moment.
 *
 * @param site the common properties of the buffers
 * @param words the words of the source that reported them
 * @param origin the place that requested the oldest of them, if it was captured
 * @param buffers how many there were
 * @param bytes their bytes
 * @param circularBytes how many of these belong to circular buffers
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record TopConsumer(
        AllocationSite site,
        SourceVocabulary words,
        Optional<Origin> origin,
        long buffers,
        long bytes,
        long circularBytes) {

    /** Returns the site in the words of its source: {@code native memory from Store.open}. */
    public String name() {
        return site.text(words);
    }

    /** Returns the use by both, of which this one is the older. */
    TopConsumer and(TopConsumer later) {
        return new TopConsumer(
                site,
                words,
                later.origin,
                buffers + later.buffers,
                bytes + later.bytes,
                circularBytes + later.circularBytes);
    }
}
