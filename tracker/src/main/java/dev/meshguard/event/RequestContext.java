package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A party to which requests are attributed where several share a tracker, for example a test on a mesh that outlives
 * it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface RequestContext {

    /** Returns the name for readers. Several contexts may have the same name. */
    String name();

    /** Returns how many events were recorded before this context; those without an address do not concern it. */
    @API(status = Status.INTERNAL)
    long eventsBefore();
}
