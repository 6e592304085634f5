package dev.meshguard.verdict;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A buffer that was still in the ledger at the check, or was freed after the close of its allocator had begun.
 *
 * @param buffer the buffer
 * @param diagnosis why it survived
 * @param expectation the expectation that it meets, if any
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Survivor(BufferGeneration buffer, Diagnosis diagnosis, Optional<Expectation> expectation) {

    /** Returns why it survived. */
    public Cause cause() {
        return diagnosis.cause();
    }

    /** Returns how it counts; an expected survivor is expected whatever its cause. */
    public SurvivorStatus status() {
        return expectation.isPresent() ? SurvivorStatus.EXPECTED : diagnosis.status();
    }

    /** Returns the remaining reports, oldest first: the open ones; for a buffer that was freed late, all. */
    public List<BufferGeneration.Report> reports() {
        return buffer.isLive() ? buffer.reportsRemaining() : buffer.reports();
    }

    @Override
    public String toString() {
        return cause() + " (" + status().description() + "): " + buffer;
    }
}
