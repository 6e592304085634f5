package dev.meshguard.verification.corpus.stage;

import dev.meshguard.verdict.expectation.Expectation;
import java.util.List;

/**
 * An entry of the allowlist, with its meaning for the program.
 *
 * @param entry the entry
 * @param ofTheCache whether it means the runtime's cache, and not the memory of the handles
 * @param handles to the expected buffers
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
