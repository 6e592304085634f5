package dev.meshguard.junit.internal.summary;

import dev.meshguard.verdict.LeakVerdict;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One check on its way into the numbers of its run.
 *
 * <p>Failed unless somebody says otherwise: whatever is thrown in the middle of a check fails its test.
 *
 * <p>Not safe for use by several threads; a check is made on one.
 */
public final class RunningCheck implements AutoCloseable {

    private final RunStatistics numbers;
    private final CheckSubject subject;
    private final boolean isOfMesh;
    private final long begunAt;
    private CheckResult result = CheckResult.FAILED;
    private @Nullable LeakVerdict verdict;

    RunningCheck(RunStatistics numbers, CheckSubject subject, boolean isOfMesh, long begunAt) {
        this.numbers = numbers;
        this.subject = subject;
        this.isOfMesh = isOfMesh;
        this.begunAt = begunAt;
    }

    /** Says what was found; the last word counts. */
    public void found(LeakVerdict newVerdict) {
        verdict = newVerdict;
    }

    /** Says what became of it. */
    public void became(CheckResult newFate) {
        result = newFate;
    }

    /** Ends it. */
    @Override
    public void close() {
        numbers.ended(this);
    }

    CheckSubject subject() {
        return subject;
    }

    boolean isOfMesh() {
        return isOfMesh;
    }

    long begunAt() {
        return begunAt;
    }

    CheckResult result() {
        return result;
    }

    Optional<LeakVerdict> verdict() {
        return Optional.ofNullable(verdict);
    }
}
