package dev.meshguard.junit.source;

import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationTracker;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The test, class or suite for which a session begins.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface SourceContext {

    /** Returns the tracker of the session; once it is requested, its memory is checked at the end. */
    AllocationTracker tracker();

    /** Returns the current phase. */
    Phase phase();

    /** Returns the name of the test, class or suite, as selected by build tools. */
    String name();

    /** Adds a note for the reader of a failure. */
    void note(String note);
}
