package dev.meshguard.verdict;

import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A buffer that was still in the books when the check was made, or was freed only after the close of its allocator had begun.
 *
 * @param buffer the buffer
 * @param diagnosis why it survived
 * @param expectation what lets it stay, if anything does
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

    /** Returns the reports of what is left, oldest first: those that are open; of a buffer that was freed late, all. */
    public List<BufferGeneration.Report> reports() {
        return buffer.isLive() ? buffer.reportsRemaining() : buffer.reports();
    }

    @Override
    public String toString() {
        return cause() + " (" + status().description() + "): " + buffer;
    }
}
