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
 * <p>A test, constructor or lifecycle method that asks for a {@link dev.meshguard.mesh.MeshDevice} gets one of its own,
 * opened when it is first asked for; a {@link dev.meshguard.mesh.Ttnn} opens more, and the
 * {@link dev.meshguard.tracker.AllocationTracker} hears of all of them. Who asks for nothing opens nothing. There are
 * {@link MemorySnapshots} and {@link Phases} too, and a {@link Tracked} field may hold any of these.
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
 * <h2>When it is checked</h2>
 *
 * <p>After everything else of the test: after {@code @AfterEach} methods, other extensions, {@code @AutoClose} fields and
 * closeable arguments. First what the test left open is closed, as a fixture on the real runtime does it: the program cache
 * of each mesh is cleared, then the mesh closed. A mesh that the test closes itself is left as it was, cached programs and
 * all. In a class with {@code @TestInstance(PER_CLASS)}
 * closeable arguments are closed after the check, because the instance is made before the test.
 *
 * <h2>What becomes of the test</h2>
 *
 * <p>A test that passed fails with a {@link dev.meshguard.assertions.LeakAssertionError}. A test that failed keeps its
 * failure, with the leak suppressed in it. A test that was aborted stays aborted, likewise. In both cases the text is
 * published as a report entry too, because build tools may cut suppressed errors. What the test asserted for itself is not
 * reported a second time. {@link AllocationPolicy} chooses otherwise.
 *
 * <h2>Which annotation counts</h2>
 *
 * <p>The nearest one, as a whole: on the method, else on the class, its superclasses and interfaces, else on the classes
 * around it. Two of which neither is nearer, for example of two interfaces, are refused if they contradict each other. It goes before what a {@link MeshGuardExtension} in a field says. It may be part of annotations of your own.
 * Only {@link #check} and {@link #origins} are looked for one by one, as {@link AllocationPolicy} says: they are about the check, and
 * the rest describes one mesh.
 * What may stay is said by {@link ExpectBuffers}, which adds up.
 *
 * <p>Dynamic tests of a {@code @TestFactory} are checked one by one, each for what it left on the mesh of its factory. Tests that share
 * a mesh are checked as {@link #lifetime} and {@link #accounting} say. {@code docs/lifecycle.md} goes through every corner.
 *
 * <h2>Threads</h2>
 *
 * <p>Tests may run at the same time: unless it is asked for, nothing is shared between them, so each is blamed for its own buffers only.
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

    /** Returns whose memory the test is about. With {@link MemorySource#PROCESSES} what describes a mesh says nothing. */
    MemorySource source() default MemorySource.FAKE;

    /** Returns the number of rows of the mesh, which is all of the system; at least 1. */
    int rows() default 2;

    /** Returns the number of columns of the mesh, which is all of the system; at least 1. */
    int columns() default 4;

    /** Returns the chips. */
    Architecture architecture() default Architecture.WORMHOLE_B0;

    /** Returns the version of the runtime. */
    RuntimePreset preset() default RuntimePreset.MAY_2026;

    /** Returns what is reported; that of the version unless one is given. */
    ReportingModel[] reporting() default {};

    /** Returns what goes wrong in the runtime. */
    RuntimeDefect[] defects() default {};

    /** Returns whether what the real runtime lets pass although it cannot be right is an error. */
    Strictness strictness() default Strictness.LENIENT;

    /** Returns whether what a handle held is freed when the handle is collected, as Python's destructors do. */
    HandleRelease handleRelease() default HandleRelease.EXPLICIT;

    /**
     * Returns what goes wrong at run time, as {@link dev.meshguard.mesh.fault.FaultPlan#toString} prints it: for example
     * {@code FaultPlan.none().failingAllocation(3)} or {@code FaultPlan.random(42L)}. Nothing does unless this is given.
     */
    String faults() default "";

    /** Returns the bytes at the top of every core's L1 that the mesh keeps for small sharded buffers; at least 0. */
    long l1SmallSize() default 0;

    /** Returns the bytes at the top of every DRAM bank that the mesh keeps for captured traces; at least 0. */
    long traceRegionSize() default 0;

    /** Returns the number of command queues of the mesh, 1 or 2. */
    int numCommandQueues() default 1;

    /** Returns how long the mesh and its tracker last. */
    TrackingLifetime lifetime() default TrackingLifetime.TEST;

    /** Returns whose leak it is what a test leaves on a mesh that outlives it. */
    Accounting accounting() default Accounting.AT_THE_END;

    /** Returns what has to hold when that time is over, a policy; see {@link AllocationPolicy#check}. */
    AllocationCheck[] check() default {};

    /** Returns whose stack is taken, a policy; see {@link AllocationPolicy#origins}. */
    OriginCapture[] origins() default {};
}
