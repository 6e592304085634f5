package dev.meshguard.junit.source;

import java.util.function.Function;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The validated options of an {@link AllocationSource}, for example from its annotation; with them a test, class or run
 * begins a session of the source.
 *
 * <p>Implementations are immutable and have {@code equals}: tests with equal settings can share a session.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface SourceSettings {

    /** Returns the source. */
    AllocationSource source();

    /**
     * Returns whether several tests can share a session with each responsible for its own memory. This requires that the
     * source reports all its allocations to the tracker of the session.
     */
    boolean isShareable();

    /**
     * Returns whether a session begins only when a test first requests a parameter of the source. Return true only if no
     * test can allocate without that parameter, because without a session nothing is checked.
     *
     * <p>By default it begins before the test instance is created; if it lasts for a class, also before
     * {@code @BeforeAll} methods.
     */
    default boolean beginsOnRequest() {
        return false;
    }

    /**
     * Lets this JVM see what the source reports, if that takes effect only on later allocations. Called before the code that runs for all
     * tests of a class, so that the run receives what it allocates, even if no session has begun yet; cheap when it is called again.
     *
     * <p>A session must not depend on the call. An {@code ExtensionConfigurationException} as that of {@link #begin} is
     * left to the tests, which report it; any other exception fails the class. By default it does nothing.
     */
    default void prepare() {}

    /** Begins the session of a test, class or run; called at most once in each of them. */
    SourceSession begin(SourceContext context);

    /**
     * Returns the settings of a source that has no options and reports all its allocations to the tracker of the session; each
     * tracked test begins it.
     *
     * @param session begins the session of a test, class or run
     */
    static SourceSettings withoutOptions(AllocationSource source, Function<SourceContext, SourceSession> session) {
        return withoutOptions(source, () -> {}, session);
    }

    /**
     * Returns the settings of a source that has no options, like {@link #withoutOptions(AllocationSource, Function)}.
     *
     * @param preparation lets this JVM see what the source reports; see {@link #prepare()}
     * @param session begins the session of a test, class or run
     */
    static SourceSettings withoutOptions(
            AllocationSource source, Runnable preparation, Function<SourceContext, SourceSession> session) {
        return new NoOptions(source, false, preparation, session);
    }

    /**
     * Returns the settings of a source that has no options and of which nothing can be allocated without its parameter; see
     * {@link #beginsOnRequest()}.
     *
     * @param session begins the session of a test, class or run
     */
    static SourceSettings ofParameter(AllocationSource source, Function<SourceContext, SourceSession> session) {
        return new NoOptions(source, true, () -> {}, session);
    }
}
