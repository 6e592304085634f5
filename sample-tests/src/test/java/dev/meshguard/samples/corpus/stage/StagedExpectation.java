package dev.meshguard.samples.corpus.stage;

import dev.meshguard.verdict.expectation.Expectation;
import java.util.List;

/**
 * An entry of the allowlist, with what the program means by it.
 *
 * @param entry the entry
 * @param ofTheCache whether it means what the runtime keeps for another run, and not what the handles hold
 * @param handles by which the program took what may stay
 */
public record StagedExpectation(Expectation entry, boolean ofTheCache, List<Handle> handles) {

    /** Returns whether it means a buffer. */
    public boolean means(Life life) {
        boolean ofAnOwner = life.details().owner().isPresent();
        return ofTheCache
                ? life.isCached()
                : handles.stream()
                        .anyMatch(
                                handle -> handle.step() == life.allocationStep() && ofAnOwner == handle.isOfAProgram());
    }
}
