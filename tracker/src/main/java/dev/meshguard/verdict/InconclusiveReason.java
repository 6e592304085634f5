package dev.meshguard.verdict;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One reason why a check cannot decide whether all memory was freed.
 *
 * @param kind the kind of problem
 * @param text the problem and its fix, as whole sentences
 * @param events the numbers of the events that prove it
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record InconclusiveReason(Kind kind, String text, List<Long> events) {

    /** The kinds of problems. */
    public enum Kind {
        /** A mesh is still open, so its buffers may still be freed. */
        MESH_OPEN,
        /** No source was ever connected. */
        NOTHING_ATTACHED,
        /** The source stopped reporting for a while. */
        TRACKING_OFF,
        /** Reports are missing, or could not be read. */
        REPORTS_LOST,
        /** A device was opened while it was open, and the reports of its meshes cannot be distinguished. */
        DEVICE_OPENED_TWICE,
        /** Frees were reported before what they free. */
        OUT_OF_ORDER,
        /** Allocations were reported after their mesh or device was closed. */
        REPORTED_TOO_LATE,
        /** The reports fit both a leak and freed memory: they name no owner and kind, or a free fits two buffers. */
        REPORTS_FIT_BOTH,
        /** An allocator held memory that appears in no report. */
        MEMORY_UNREPORTED,
        /** Counts that should agree differ. */
        COUNTS_DISAGREE;

        /** Returns whether the history may lack events, so that what is not in it may have happened. */
        boolean isAboutMissingReports() {
            return switch (this) {
                case NOTHING_ATTACHED, TRACKING_OFF, REPORTS_LOST, MEMORY_UNREPORTED -> true;
                case MESH_OPEN,
                        DEVICE_OPENED_TWICE,
                        OUT_OF_ORDER,
                        REPORTED_TOO_LATE,
                        REPORTS_FIT_BOTH,
                        COUNTS_DISAGREE -> false;
            };
        }
    }

    /** Creates a reason with its own copy of the numbers. */
    public InconclusiveReason {
        events = List.copyOf(events);
    }

    /** Returns the text. */
    @Override
    public String toString() {
        return text;
    }
}
