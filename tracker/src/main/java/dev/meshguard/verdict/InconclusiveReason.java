package dev.meshguard.verdict;

import java.util.Arrays;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One reason why it cannot be known whether everything was given back.
 *
 * @param kind what is wrong
 * @param text what is wrong and what to do about it, as whole sentences
 * @param events the numbers of the events it rests on
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record InconclusiveReason(Kind kind, String text, List<Long> events) {

    /** The reasons there are. */
    public enum Kind {
        /** A mesh is still open, so its buffers may still be freed. */
        MESH_OPEN,
        /** Nothing that could report was ever connected. */
        NOTHING_ATTACHED,
        /** A canary, or its free, did not arrive. */
        CANARY_MISSING,
        /** For a while nothing was heard. */
        TRACKING_OFF,
        /** Reports are missing, or could not be read. */
        REPORTS_LOST,
        /** Frees found nothing to free, and the events that would say why were not kept. */
        FREES_NOT_KEPT,
        /** A device was opened while it was open, and what its meshes reported cannot be told apart. */
        DEVICE_OPENED_TWICE,
        /** Frees were reported before what they free. */
        OUT_OF_ORDER,
        /** Allocations were reported when nobody could have made them any more. */
        REPORTED_TOO_LATE,
        /** What a source without owners and kinds reports of a buffer fits a leak, and memory that was given back. */
        REPORTS_FIT_BOTH,
        /** An allocator held memory that no report mentions. */
        MEMORY_UNREPORTED,
        /** The counts that should agree do not. */
        COUNTS_DISAGREE
    }

    /** Creates a doubt with its own copy of the numbers. */
    public InconclusiveReason {
        events = List.copyOf(events);
    }

    /** Returns a doubt that rests on the given events. */
    public static InconclusiveReason of(Kind kind, String words, long... events) {
        return new InconclusiveReason(kind, words, Arrays.stream(events).boxed().toList());
    }

    /** Returns the words. */
    @Override
    public String toString() {
        return text;
    }
}
