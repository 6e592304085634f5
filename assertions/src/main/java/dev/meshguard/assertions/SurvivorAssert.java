package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldHaveCause.shouldHaveCause;
import static dev.meshguard.assertions.error.ShouldHaveEvidence.shouldHaveEvidence;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Survivor;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about a buffer that is still in the books.
 *
 * <p>Not final, because AssertJ makes soft assertions of it by a subclass.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public class SurvivorAssert extends AbstractAssert<SurvivorAssert, Survivor> {

    /** Called by AssertJ; use {@link #assertThat(Survivor)}. */
    protected SurvivorAssert(Survivor actual) {
        super(actual, SurvivorAssert.class);
    }

    /** Starts assertions about a buffer that is still in the books. */
    public static SurvivorAssert assertThat(Survivor actual) {
        return new SurvivorAssert(actual);
    }

    /**
     * Verifies why it survived.
     *
     * <pre>{@code
     * assertThat(survivorOfACachedProgram).hasCause(Cause.CACHED); // succeeds
     * assertThat(survivorOfACachedProgram).hasCause(Cause.SYSTEM); // fails
     * }</pre>
     *
     * @throws AssertionError if the cause is another one
     */
    public SurvivorAssert hasCause(Cause cause) {
        isNotNull();
        if (actual.cause() != cause) {
            throwAssertionError(shouldHaveCause(actual, cause));
        }
        return myself;
    }

    /**
     * Verifies that a fact behind the cause contains the given words.
     *
     * <pre>{@code
     * assertThat(survivorOfACachedProgram).hasEvidence("program cache"); // succeeds
     * assertThat(survivorOfACachedProgram).hasEvidence("trace"); // fails
     * }</pre>
     *
     * @throws AssertionError if none does
     */
    public SurvivorAssert hasEvidence(String words) {
        isNotNull();
        if (actual.diagnosis().evidence().stream()
                .noneMatch(evidence -> evidence.words().contains(words))) {
            throwAssertionError(shouldHaveEvidence(actual, words));
        }
        return myself;
    }
}
