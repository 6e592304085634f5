package dev.meshguard.junit.template;

import java.util.Optional;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Which allocation fails in a run of a test with {@link FailEachAllocation}, for a test whose code makes do without the memory.
 *
 * <pre>{@code
 * @FailEachAllocation
 * void decode(MeshDevice mesh, Ttnn ttnn, FailedAllocation failed) {
 *     boolean hasDecoded = decoder.tryToDecode(ttnn, mesh);
 *     assertThat(hasDecoded).isEqualTo(!failed.hasHappened());
 * }
 * }</pre>
 *
 * <p>Handed to test methods and lifecycle methods. Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class FailedAllocation {

    private final FailedAllocationInvocation run;

    FailedAllocation(FailedAllocationInvocation run) {
        this.run = run;
    }

    /** Returns which allocation of the test fails in this run, from 1; nothing in the run without faults. */
    public OptionalInt number() {
        return run.number() == 0 ? OptionalInt.empty() : OptionalInt.of(run.number());
    }

    /** Returns whether it has failed by now. */
    public boolean hasHappened() {
        return run.failed().isPresent();
    }

    /** Returns the line that asked for it, if it has failed by now and the line is known. */
    public Optional<StackTraceElement> site() {
        return run.failed().flatMap(AllocationPoint::site);
    }

    /** Returns the number and the line in words. */
    @Override
    public String toString() {
        if (run.number() == 0) {
            return "no allocation fails";
        }
        return "allocation " + run.number()
                + run.failed().map(point -> " failed: " + point.shortly()).orElse(" is to fail");
    }
}
