package dev.meshguard.junit.mesh;

import dev.meshguard.junit.MeshGuardExtension;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code @FailEachAllocation} runs a test once for each of its allocations, and makes that allocation run out of
 * memory.
 *
 * <p>Use it instead of {@code @Test}. It tests the error path: code that allocated two buffers and fails to allocate a
 * third must free the two.
 *
 * <pre>{@code
 * @FailEachAllocation
 * void decode(MeshDevice mesh, Ttnn ttnn) {
 *     decoder.decode(ttnn, mesh);
 * }
 * }</pre>
 *
 * <p>The first invocation has no fault; it counts the allocations of the test and must succeed. One invocation for each
 * allocation follows: in invocation {@code k} the {@code k}-th allocation fails with the error of the runtime. Names
 * and failures of an invocation show the allocation and the line that made it.
 *
 * <h2>Counted allocations</h2>
 *
 * <p>The allocations that {@link dev.meshguard.mesh.fault.FaultPlan#failingAllocation(long)} counts, on all threads and
 * all meshes of the test's own {@code Ttnn}, from the begin of the test method to its end. Allocations of lifecycle
 * methods, and of the injected mesh itself, are not counted.
 *
 * <h2>Result of an invocation</h2>
 *
 * <ul>
 * <li>The test method may throw the injected error, directly or as the cause of another exception: that is no failure.
 * <li>Any other exception fails the invocation, including an {@link AssertionError}, unless {@link #mayThrow} names it.
 *     A test whose code continues without the memory can declare a {@link FailedAllocation} parameter.
 * <li>Survivors at the end fail it as they fail every test: {@link dev.meshguard.junit.TrackAllocations} configures the
 *     check, {@link dev.meshguard.junit.ExpectBuffers} the expected buffers.
 * <li>If the allocation is not made, because the test is not deterministic, the invocation is aborted with a message
 *     and is the last one.
 * </ul>
 *
 * <p>A test without an allocation fails, because nothing was tested. The invocations run sequentially on one thread,
 * each with an instance, a mesh and a tracker of its own; with {@code PER_CLASS} the instance is shared.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({MeshGuardExtension.class, FailEachAllocationExtension.class})
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface FailEachAllocation {

    /**
     * Returns the limit of allocations without faults, and of further ones in an invocation with a fault; at least 1.
     *
     * <p>One more allocation fails the test: code that retries for ever would never end.
     */
    int limit() default 1_000;

    /**
     * Returns whether memory stays full: in invocation {@code k} every allocation from the {@code k}-th on fails, not
     * only that one.
     */
    boolean lasting() default false;

    /**
     * Returns the exceptions that the test method may throw in an invocation with a fault, in addition to the injected
     * error and its wrappers.
     */
    Class<? extends Throwable>[] mayThrow() default {};
}
