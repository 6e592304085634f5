package dev.meshguard.report;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A limit of the numbers and words of a verdict, or of its history; it makes no verdict inconclusive.
 *
 * @param kind its kind
 * @param text the explanation, as whole sentences
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Caveat(Kind kind, String text) {

    /** The kinds of limits. */
    public enum Kind {
        /** Sizes are those of the reports, not those that an allocator reserved. */
        SIZES_AS_REPORTED,
        /** Live and peak bytes include memory that is in no allocator. */
        CIRCULAR_BUFFERS_INCLUDED,
        /** No allocator was read. */
        NO_WITNESS,
        /** The origins of some survivors are unknown. */
        ORIGINS_NOT_CAPTURED
    }

    /** Returns the limits of a verdict and of its history; for readers of the data instead of the text. */
    public static List<Caveat> of(LeakVerdict verdict) {
        AllocationHistory history = verdict.history();
        List<Caveat> limits = new ArrayList<>();
        if (verdict.sum().allocated() > 0) {
            limits.add(new Caveat(
                    Kind.SIZES_AS_REPORTED,
                    "Sizes are those that were reported."
                            + (verdict.vocabulary().hasDevices()
                                    ? " An allocator sets aside whole pages in every bank, so it holds more."
                                    : "")));
        }
        if (!history.generationsWith(request -> request.details().kind() == BufferKind.CIRCULAR_BUFFER)
                .isEmpty()) {
            limits.add(new Caveat(
                    Kind.CIRCULAR_BUFFERS_INCLUDED,
                    "Live and peak bytes include circular buffers, which take no memory of an allocator."));
        }
        if (history.witnessSnapshots().isEmpty()) {
            limits.add(
                    new Caveat(Kind.NO_WITNESS, "No allocator was read, so the findings rest on the reports alone."));
        }
        long unknown = verdict.survivors(survivor -> survivor.buffer().origin().isEmpty())
                .size();
        if (unknown > 0) {
            limits.add(new Caveat(
                    Kind.ORIGINS_NOT_CAPTURED,
                    "Where " + Quantities.count(unknown, verdict.vocabulary().unit()) + " of the survivors "
                            + (unknown == 1 ? "was" : "were")
                            + " allocated is not known, because no origin was captured."));
        }
        return limits;
    }
}
