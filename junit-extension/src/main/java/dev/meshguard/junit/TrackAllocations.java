package dev.meshguard.junit;

import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
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
 * <li>{@link dev.meshguard.mesh.MeshDevice}: a mesh of its own, opened when it is first requested;
 * <li>{@link dev.meshguard.mesh.Ttnn}: opens more meshes;
 * <li>{@link dev.meshguard.tracker.AllocationTracker}: tracks all of these meshes;
 * <li>{@link MemorySnapshots} and {@link Phases}.
 * </ul>
 *
 * <p>A {@link Tracked} field may have any of these types. A test that requests nothing opens no mesh.
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
 * test's own assertions are not reported a second time. {@link AllocationPolicy} changes these rules.
 *
 * <h2>Precedence</h2>
 *
 * <p>The nearest annotation applies as a whole: on the method, else on the class, its superclasses and interfaces, else
 * on the enclosing classes. Two equally near annotations, for example of two interfaces, are an error if they
 * contradict each other. The annotation wins over a {@link MeshGuardExtension} in a field. It may be used as a
 * meta-annotation.
 *
 * <p>Only {@link #check} and {@link #origins} are resolved separately, as {@link AllocationPolicy} describes: they
 * configure the check, and the other attributes describe one mesh. {@link ExpectBuffers} declares expected buffers;
 * these annotations add up.
 *
 * <p>Dynamic tests of a {@code @TestFactory} are checked separately, each for its survivors on the mesh of its factory.
 * Tests that share a mesh are checked as {@link #lifetime} and {@link #accounting} define. {@code docs/lifecycle-corners.md}
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

    /**
     * Returns the memory that the test examines. With {@link MemorySource#PROCESSES} the attributes that describe a
     * mesh have no effect.
     */
    MemorySource source() default MemorySource.FAKE;

    /** Returns the number of rows of the mesh, which is the whole system; at least 1. */
    int rows() default 2;

    /** Returns the number of columns of the mesh, which is the whole system; at least 1. */
    int columns() default 4;

    /** Returns the chip architecture. */
    Architecture architecture() default Architecture.WORMHOLE_B0;

    /** Returns the version of the runtime. */
    RuntimePreset preset() default RuntimePreset.MAY_2026;

    /** Returns what the runtime reports; the model of the version unless one is given. */
    ReportingModel[] reporting() default {};

    /** Returns the defects of the runtime. */
    RuntimeDefect[] defects() default {};

    /** Returns whether invalid calls that the real runtime accepts are an error. */
    Strictness strictness() default Strictness.LENIENT;

    /** Returns whether a collected handle frees what it held, as Python's destructors do. */
    HandleRelease handleRelease() default HandleRelease.EXPLICIT;

    /**
     * Returns the faults at run time, as printed by {@link dev.meshguard.mesh.fault.FaultPlan#toString}: for example
     * {@code FaultPlan.none().failingAllocation(3)} or {@code FaultPlan.random(42L)}. None by default.
     */
    String faults() default "";

    /** Returns the bytes at the top of every core's L1 that the mesh reserves for small sharded buffers; at least 0. */
    long l1SmallSize() default 0;

    /** Returns the bytes at the top of every DRAM bank that the mesh reserves for captured traces; at least 0. */
    long traceRegionSize() default 0;

    /** Returns the number of command queues of the mesh, 1 or 2. */
    int numCommandQueues() default 1;

    /** Returns how long the mesh and its tracker last. */
    TrackingLifetime lifetime() default TrackingLifetime.TEST;

    /** Returns who is responsible for memory that a test leaves allocated on a mesh that outlives it. */
    Accounting accounting() default Accounting.AT_THE_END;

    /**
     * Returns the condition that must hold at the end of that lifetime, a policy; see {@link AllocationPolicy#check}.
     */
    AllocationCheck[] check() default {};

    /** Returns the calls whose stacks are captured, a policy; see {@link AllocationPolicy#origins}. */
    OriginCapture[] origins() default {};
}
