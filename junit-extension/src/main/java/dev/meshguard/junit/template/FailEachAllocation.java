package dev.meshguard.junit.template;

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
 * {@code @FailEachAllocation} runs a test once for each allocation that it makes, and lets that one run out of memory.
 *
 * <p>Written in place of {@code @Test}. What it shows is the error path: whoever took two buffers and gets no third one has to give
 * the two back.
 *
 * <pre>{@code
 * @FailEachAllocation
 * void decode(MeshDevice mesh, Ttnn ttnn) {
 *     decoder.decode(ttnn, mesh);
 * }
 * }</pre>
 *
 * <p>The first run meets no fault; it counts the allocations of the test and must succeed. Then comes a run for each of them: in run
 * {@code k} the {@code k}-th finds no memory, with the error of the runtime. Names and failures of a run say which allocation it was
 * and which line asked for it.
 *
 * <h2>What counts</h2>
 *
 * <p>What {@link dev.meshguard.mesh.fault.FaultPlan#failingAllocation(long)} counts, on all threads and all meshes of the test's own
 * {@code Ttnn}, from the begin of the test method to its end. Lifecycle methods, and the mesh that the method is given, are left alone.
 *
 * <h2>What becomes of a run</h2>
 *
 * <ul>
 *   <li>The injected error may leave the test method, as it is or as the cause of another exception: that fails nothing.
 *   <li>Any other exception fails the run, an {@link AssertionError} too, unless {@link #mayThrow} names it. A test that goes on where
 *       its code made do without the memory asks the {@link FailedAllocation} that it can have as a parameter.
 *   <li>What is left at the end fails it as it fails every test: {@link dev.meshguard.junit.TrackAllocations} says what is checked,
 *       {@link dev.meshguard.junit.ExpectBuffers} what may stay.
 *   <li>A run in which the allocation is not made after all, because the test does not do the same each time, is aborted and says so,
 *       and is the last one.
 * </ul>
 *
 * <p>A test that makes no allocation fails, because nothing was tried. The runs come one after the other on one thread, each with an
 * instance, a mesh and a tracker of its own; with {@code PER_CLASS} the instance is shared.
 *
 * @since 0.1
 * @see FaultMatrix
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
     * Returns how many allocations the test may make without faults, and how many more in a run with one; at least 1.
     *
     * <p>One allocation more fails the test: code that retries for ever would never end.
     */
    int limit() default 1_000;

    /** Returns whether memory stays full: in run {@code k} every allocation from the {@code k}-th on fails, not that one only. */
    boolean lasting() default false;

    /** Returns what may leave the test method of a run with a fault, besides what the injected error is or causes. */
    Class<? extends Throwable>[] mayThrow() default {};
}
