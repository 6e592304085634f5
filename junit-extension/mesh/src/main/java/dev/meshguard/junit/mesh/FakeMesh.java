package dev.meshguard.junit.mesh;

import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
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
 * {@code @FakeMesh} describes the mesh without hardware on which a test runs.
 *
 * <pre>{@code
 * @TrackAllocations
 * @FakeMesh(rows = 1, columns = 2)
 * class KvCacheTest {
 *     @Test
 *     void decode(MeshDevice mesh, Ttnn ttnn) { … }
 * }
 * }</pre>
 *
 * <p>A test, constructor or lifecycle method can declare a parameter of these types:
 *
 * <ul>
 * <li>{@link dev.meshguard.mesh.MeshDevice}: a mesh of its own, opened when it is first requested;
 * <li>{@link dev.meshguard.mesh.Ttnn}: opens more meshes.
 * </ul>
 *
 * <p>Without the annotation a test runs on a mesh of 2x4 devices. Used alone, it tracks the test with the defaults of
 * {@link dev.meshguard.junit.TrackAllocations}.
 *
 * <h2>Precedence</h2>
 *
 * <p>The nearest annotation counts as a whole, because its attributes describe one mesh: that of the method, else of the
 * class, else of the nearest enclosing class. JUnit also finds it on interfaces and superclasses, and as a meta-annotation.
 * One beside an annotation of another source is an error. The annotation wins over the source of a
 * {@link MeshGuardExtension} in a field.
 *
 * <p>On a method it requires a mesh for that method: if the lifetime is longer than a test, the annotation is an error.
 *
 * @since 0.1
 * @see FakeMeshSource
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface FakeMesh {

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

    /** Returns the bytes at the top of every core's L1 that the mesh reserves for small sharded buffers; at least 0. */
    long l1SmallSize() default 0;

    /** Returns the bytes at the top of every DRAM bank that the mesh reserves for captured traces; at least 0. */
    long traceRegionSize() default 0;

    /** Returns the number of command queues of the mesh, 1 or 2. */
    int numCommandQueues() default 1;
}
