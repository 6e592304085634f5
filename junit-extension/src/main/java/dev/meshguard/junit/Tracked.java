package dev.meshguard.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@code @Tracked} fills a field with what a test could ask for as a parameter.
 *
 * <pre>{@code
 * @TrackAllocations
 * class KvCacheTest {
 *     @Tracked
 *     MeshDevice mesh;
 *
 *     @Test
 *     void decode() { … }
 * }
 * }</pre>
 *
 * <p>The field has one of the types {@link dev.meshguard.mesh.MeshDevice}, {@link dev.meshguard.mesh.Ttnn},
 * {@link dev.meshguard.tracker.AllocationTracker}, {@link MemorySnapshots} and {@link Phases}. It may be private, and is not final.
 *
 * <p>An instance field is filled before the {@code @BeforeEach} methods of each test, in the classes around a nested one too, with what
 * is that test's: also where one instance serves all tests. A static field is filled before the {@code @BeforeAll} methods with what is
 * the class's. Neither is filled for a test or class that does not run, so nothing is opened in vain.
 *
 * <p>It does not make a class a guarded one: that is said by {@link TrackAllocations}. Without that the test fails with a message.
 *
 * <h2>Threads</h2>
 *
 * <p>Where tests of one instance run at the same time, one field cannot hold what belongs to each: such a field is refused, and a
 * parameter does it.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.ANNOTATION_TYPE})
@ExtendWith(UnfilledFields.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface Tracked {}
