package dev.meshguard.junit;

import dev.meshguard.tracker.OriginCapture;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@code @AllocationPolicy} configures how the memory of a test is checked; {@link TrackAllocations} configures the
 * mesh on which the test runs.
 *
 * <pre>{@code
 * @TrackAllocations(rows = 1, columns = 2)
 * @AllocationPolicy(grace = "2 s")
 * class PrefetchTest {
 *     @Test
 *     @AllocationPolicy(onFailure = IncompleteTestPolicy.SKIP)   // the mesh and the grace of the class still apply
 *     void prefetches(MeshDevice mesh) { … }
 * }
 * }</pre>
 *
 * <h2>Precedence</h2>
 *
 * <p>Each attribute is resolved separately. The first of these locations that sets it wins:
 *
 * <ol>
 * <li>the method
 * <li>the class with its interfaces and superclasses
 * <li>the enclosing classes
 * <li>a {@link MeshGuardExtension} in a field
 * <li>the configuration parameter
 * <li>the default
 * </ol>
 *
 * <p>An omitted attribute does not hide a value from another location. The attributes are therefore arrays: give at
 * most one value each.
 *
 * <p>{@link TrackAllocations#check} and {@link TrackAllocations#origins} set the same policies with the same
 * precedence. The annotation may be used as a meta-annotation. {@code docs/configuration.md} lists all parameters.
 *
 * <p>Tests that share a mesh may have policies of their own with {@link Accounting#EACH_TEST}, except for the origins.
 * Those belong to the tracker that all tests share. With any other accounting, put the policies on the class.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface AllocationPolicy {

    /**
     * Returns the condition that must hold when the test ends; {@code meshguard.check}, else
     * {@link AllocationCheck#CLEAN}.
     */
    AllocationCheck[] check() default {};

    /**
     * Returns the calls whose stacks are captured; {@code meshguard.origins}, else {@link OriginCapture#ALLOCATIONS}.
     */
    OriginCapture[] origins() default {};

    /**
     * Returns how the check of a failed test is handled; {@code meshguard.on-failure}, else
     * {@link IncompleteTestPolicy#ATTACH}.
     */
    IncompleteTestPolicy[] onFailure() default {};

    /**
     * Returns how the check of an aborted test is handled; {@code meshguard.on-abort}, else
     * {@link IncompleteTestPolicy#ATTACH}.
     */
    IncompleteTestPolicy[] onAbort() default {};

    /**
     * Returns how a test is handled whose buffers were still allocated when close began and were freed afterwards;
     * {@code meshguard.late-frees}, else {@link LateFrees#FAIL}.
     */
    LateFrees[] lateFrees() default {};

    /**
     * Returns the longest time that the check waits for frees by other threads, for example {@code "250 ms"} or
     * {@code "2 s"}; {@code meshguard.grace}, else it does not wait.
     *
     * <p>The check waits before the extension closes what the test left open. The grace therefore does not excuse frees
     * after a close by the test itself. The check waits only while unexpected buffers of the test are allocated, and
     * continues as soon as all of them are freed.
     */
    String grace() default "";
}
