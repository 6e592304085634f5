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
 * {@code @AllocationPolicy} says how the memory of a test is checked; {@link TrackAllocations} says on which mesh it runs.
 *
 * <pre>{@code
 * @TrackAllocations(rows = 1, columns = 2)
 * @AllocationPolicy(grace = "2 s")
 * class PrefetchTest {
 *     @Test
 *     @AllocationPolicy(onFailure = IncompleteTestPolicy.SKIP)   // the mesh and the grace of the class go on
 *     void prefetches(MeshDevice mesh) { … }
 * }
 * }</pre>
 *
 * <h2>Which value counts</h2>
 *
 * <p>Each attribute is looked for by itself, the nearest place that gives it counts: the method, the class with its interfaces and
 * superclasses, the classes around it, a {@link MeshGuardExtension} in a field, the configuration parameter, the default. An
 * attribute that is left out is not given, so it hides nothing. That is why they are arrays: give at most one value each.
 *
 * <p>{@link TrackAllocations#check} and {@link TrackAllocations#origins} are the same policies and count at the same place.
 * The annotation may be part of annotations of your own. {@code docs/configuration.md} lists all parameters.
 *
 * <p>Where tests share a mesh, one that answers for itself ({@link Accounting#EACH_TEST}) may have policies of its own, but for
 * the origins, which are of the tracker that all share. Otherwise they have to stand on the class.
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

    /** Returns what has to hold when the test is over; {@code meshguard.check}, else {@link AllocationCheck#CLEAN}. */
    AllocationCheck[] check() default {};

    /** Returns whose stack is taken; {@code meshguard.origins}, else {@link OriginCapture#ALLOCATIONS}. */
    OriginCapture[] origins() default {};

    /** Returns what becomes of the check of a test that failed; {@code meshguard.on-failure}, else {@link IncompleteTestPolicy#ATTACH}. */
    IncompleteTestPolicy[] onFailure() default {};

    /** Returns what becomes of the check of a test that was aborted; {@code meshguard.on-abort}, else {@link IncompleteTestPolicy#ATTACH}. */
    IncompleteTestPolicy[] onAbort() default {};

    /**
     * Returns what becomes of a test whose buffers were still allocated when close began and were freed afterwards;
     * {@code meshguard.late-frees}, else {@link LateFrees#FAIL}.
     */
    LateFrees[] lateFrees() default {};

    /**
     * Returns how long the check waits at most for frees that other threads still make, for example {@code "250 ms"} or
     * {@code "2 s"}; {@code meshguard.grace}, else it does not wait.
     *
     * <p>It waits before the extension closes what the test left open, so it excuses nothing that the test freed after a close of its own.
     * It waits only while something of the test is left that nothing allows to stay, and goes on as soon as all of it is freed.
     */
    String grace() default "";
}
