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
 * {@code @TrackAllocations} fails a test that leaves device memory allocated.
 *
 * <p>A test, constructor or lifecycle method can declare a parameter of these types:
 *
 * <ul>
 * <li>{@link dev.meshguard.tracker.AllocationTracker}: tracks the allocations of the test;
 * <li>the types of the source that the test examines. Without another source that is a mesh without hardware:
 *     {@code MeshDevice} is a mesh of its own, opened when it is first requested, and {@code Ttnn} opens more meshes.
 * </ul>
 *
 * <p>A test that requests nothing opens no mesh.
 *
 * <pre>{@code
 * @TrackAllocations
 * class KvCacheTest {
 *     @Test
 *     void decode(MeshDevice mesh, Ttnn ttnn) {
 *         Tensor cache = ttnn.empty(TensorShape.of(8, 8, 512, 512), DataType.BFLOAT16, mesh);
 *         ttnn.deallocate(cache);
 *     }
 * }
 * }</pre>
 *
 * <p>The annotation of a source selects other memory: {@code @FakeMesh} describes the mesh, {@code @WatchedProcesses}
 * watches other processes.
 *
 * <h2>When the check runs</h2>
 *
 * <p>The check runs after everything else of the test: after {@code @AfterEach} methods, other extensions,
 * {@code @AutoClose} fields and closeable arguments. First the extension closes what the test left open, as a fixture
 * on the real runtime does: it clears the program cache of each mesh, then closes the mesh. It does not change a mesh
 * that the test closed itself, including its cached programs. In a class with {@code @TestInstance(PER_CLASS)}
 * closeable arguments are closed after the check, because the instance is created before the test.
 *
 * <h2>Effect on the result of the test</h2>
 *
 * <p>A test that passed fails with a {@link dev.meshguard.assertions.LeakAssertionError}. A test that failed keeps its
 * failure, with the leak suppressed in it. A test that was aborted stays aborted, with the leak suppressed too. In both
 * cases the text is also published as a report entry, because build tools may cut suppressed errors. Findings of the
 * test's own assertions are not reported a second time.
 *
 * <h2>Precedence</h2>
 *
 * <p>The nearest annotation counts as a whole: that of the method, else of the class, else of the nearest enclosing class. An
 * attribute that it leaves out has the value of the configuration parameter, else the default, never that of another
 * annotation. JUnit also finds the annotation on interfaces and superclasses, and as a meta-annotation.
 * {@code docs/configuration.md} lists all parameters.
 *
 * <pre>{@code
 * @TrackAllocations(grace = "2 s")
 * class PrefetchTest {
 *     @Test
 *     @TrackAllocations(grace = "2 s", check = AllocationCheck.NO_LEAKS)   // repeats the grace of the class
 *     void prefetches(MeshDevice mesh) { … }
 * }
 * }</pre>
 *
 * <p>An annotation of a method that leaves out {@link #lifetime} or {@link #accounting} of its class is an error.
 *
 * <p>Tests that share a mesh may have policies of their own with {@link Accounting#EACH_TEST}, except for the origins.
 * Those belong to the tracker that all tests share. With any other accounting, put the policies on the class.
 * {@link ExpectBuffers} declares expected buffers; these annotations add up.
 *
 * <p>Dynamic tests of a {@code @TestFactory} are checked separately, each for its survivors on the mesh of its factory.
 * Tests that share a mesh are checked as {@link #lifetime} and {@link #accounting} define. {@code docs/lifecycle.md}
 * describes all cases.
 *
 * <h2>Threads</h2>
 *
 * <p>Tests may run concurrently. They share nothing by default, so each is responsible for its own buffers only.
 *
 * @since 0.1
 * @see ExpectBuffers
 * @see MeshGuardExtension
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface TrackAllocations {

    /** Returns how long the mesh and its tracker last; {@link TrackingLifetime#TEST} unless set. */
    TrackingLifetime lifetime() default TrackingLifetime.DEFAULT;

    /**
     * Returns who is responsible for memory that a test leaves allocated on a mesh that outlives it;
     * {@link Accounting#AT_THE_END} unless set.
     */
    Accounting accounting() default Accounting.DEFAULT;

    /**
     * Returns the condition that must hold when the lifetime ends; {@code meshguard.check}, else
     * {@link AllocationCheck#CLEAN}.
     */
    AllocationCheck check() default AllocationCheck.DEFAULT;

    /**
     * Returns the calls whose stacks are captured; {@code meshguard.origins}, else {@link OriginCapture#ALLOCATIONS}.
     */
    OriginCapture origins() default OriginCapture.DEFAULT;

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
