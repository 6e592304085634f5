package dev.meshguard.junit.source;

import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A kind of memory that tests can examine, for example that of a fake mesh or of a library.
 *
 * <p>{@link java.util.ServiceLoader} finds the sources once in a run. Two sources with one id, or for one parameter type,
 * are an error. A source has no state; that of a test is in a {@link SourceSession}.
 *
 * <p>A test examines the source that its {@linkplain AnnotatedSource annotation} selects, else those that its
 * {@link dev.meshguard.junit.MeshGuardExtension} names, else all that have {@linkplain #defaultSettings() default settings}.
 * Annotations of {@linkplain AnnotatedSource#isAdditional() additional} sources add theirs.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface AllocationSource {

    /** Returns the name of the source, which no other source has. */
    String id();

    /** Returns the types of parameters that the source injects; none by default. */
    default Set<Class<?>> parameterTypes() {
        return Set.of();
    }

    /** Returns the settings for tests that select no source; empty if a test must select it. */
    default Optional<SourceSettings> defaultSettings() {
        return Optional.empty();
    }

    /**
     * Returns the tracker for an allocation by the calling thread, for a source whose library reports through one hook of the
     * process; empty if no tracked test examines it. Report the free of what was allocated to the same tracker.
     *
     * <p>The session of such a source calls {@link SourceContext#receiveFromThreads()} when it begins. {@code docs/lifecycle.md}
     * lists the rules by which an allocation belongs to a test. What belongs to none is checked at the end of the run.
     *
     * @param source the {@linkplain #id() id} of the source
     */
    static Optional<AllocationTracker> trackerOfThread(String source) {
        return RunningTest.trackerOf(source);
    }

    /**
     * Returns whether {@link #trackerOfThread} may find a tracker, without a look at the thread: JUnit runs tests, or a run that examines
     * the source has not ended.
     */
    @API(status = Status.INTERNAL, since = "0.1")
    static boolean isReceived(String source) {
        return RunningTest.isReceived(source);
    }
}
