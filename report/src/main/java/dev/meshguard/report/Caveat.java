package dev.meshguard.report;

import dev.meshguard.event.BufferKind;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A limitation that a reader of a verdict must know: of its numbers, of its words, or of its history.
 *
 * @param kind its kind: {@link InconclusiveReason.Kind} if it makes the verdict inconclusive, or else {@link Kind}
 * @param text the explanation, as whole sentences
 * @param events the numbers of the events that it is about
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Caveat(Enum<?> kind, String text, List<Long> events) {

    /** The kinds of limits that make no verdict inconclusive. */
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

    private Caveat(Kind kind, String text) {
        this(kind, text, List.of());
    }

    /** Creates a caveat with its own copy of the numbers. */
    public Caveat {
        events = List.copyOf(events);
    }

    /** Returns whether it makes the verdict inconclusive. */
    public boolean makesInconclusive() {
        return kind instanceof InconclusiveReason.Kind;
    }

    /**
     * Returns the limits of a verdict and of its history, for readers of the data instead of the text. Those that determine the
     * outcome come first.
     */
    public static List<Caveat> of(LeakVerdict verdict) {
        AllocationHistory history = verdict.history();
        List<Caveat> limits = new ArrayList<>();
        verdict.inconclusiveReasons()
                .forEach(reason -> limits.add(new Caveat(reason.kind(), reason.text(), reason.events())));
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
