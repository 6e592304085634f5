package dev.meshguard.assertions;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Survivor;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.AbstractListAssert;

/**
 * Assertions about the buffers that are still in the books, oldest first.
 *
 * <p>Everything that AssertJ knows of lists works on them too:
 *
 * <pre>{@code
 * assertThat(tracker).survivors().filteredOn(survivor -> survivor.buffer().device() == 3).hasSize(1);
 * }</pre>
 *
 * <p>Not final, because AssertJ makes soft assertions of it by a subclass.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public class SurvivorsAssert
        extends AbstractListAssert<SurvivorsAssert, List<? extends Survivor>, Survivor, SurvivorAssert> {

    /** Called by AssertJ; use {@link #assertThat(List)}. */
    protected SurvivorsAssert(List<? extends Survivor> actual) {
        super(actual, SurvivorsAssert.class);
    }

    /** Starts assertions about survivors. */
    public static SurvivorsAssert assertThat(List<? extends Survivor> actual) {
        return new SurvivorsAssert(actual);
    }

    /**
     * Goes on with those that survived for the given cause.
     *
     * <pre>{@code
     * assertThat(tracker).survivors().withCause(Cause.CACHED).hasSize(8); // succeeds with 8 cached binaries left
     * assertThat(tracker).survivors().withCause(Cause.CACHED).isEmpty(); // fails
     * }</pre>
     */
    public SurvivorsAssert withCause(Cause cause) {
        return filteredOn(survivor -> survivor.cause() == cause);
    }

    @Override
    protected SurvivorAssert toAssert(Survivor value, String description) {
        return new SurvivorAssert(value).as(description);
    }

    @Override
    protected SurvivorsAssert newAbstractIterableAssert(Iterable<? extends Survivor> iterable) {
        return new SurvivorsAssert(
                StreamSupport.stream(iterable.spliterator(), false).toList());
    }
}
