package dev.meshguard.junit.mesh;

import java.util.Optional;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The allocation that fails in one invocation of a {@link FailEachAllocation} test: its number, whether it has failed, and then its line.
 *
 * <p>A test method has it as a parameter if its code continues without the memory:
 *
 * <pre>{@code
 * @FailEachAllocation
 * void decode(MeshDevice mesh, Ttnn ttnn, FailedAllocation failed) {
 *     boolean hasDecoded = decoder.tryToDecode(ttnn, mesh);
 *     assertThat(hasDecoded).isEqualTo(!failed.hasHappened());
 * }
 * }</pre>
 *
 * <p>Lifecycle methods may have it too. Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class FailedAllocation {

    private final FailedAllocationInvocation run;

    FailedAllocation(FailedAllocationInvocation run) {
        this.run = run;
    }

    /**
     * Returns the number of the allocation that fails in this invocation, from 1; empty in the invocation without
     * faults.
     */
    public OptionalInt number() {
        return run.number() == 0 ? OptionalInt.empty() : OptionalInt.of(run.number());
    }

    /** Returns whether it has already failed. */
    public boolean hasHappened() {
        return run.failed().isPresent();
    }

    /** Returns the line that made it, if it has already failed and the line is known. */
    public Optional<StackTraceElement> site() {
        return run.failed().flatMap(AllocationPoint::site);
    }

    /** Returns a description with the number and the line. */
    @Override
    public String toString() {
        if (run.number() == 0) {
            return "no allocation fails";
        }
        return "allocation " + run.number()
                + run.failed().map(point -> " failed: " + point.shortly()).orElse(" is to fail");
    }
}
