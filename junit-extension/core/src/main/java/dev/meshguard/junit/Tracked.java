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
 * {@code @Tracked} injects into a field what a test could declare as a parameter.
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
 * <p>The field has one of the types that {@link TrackAllocations} lists. It may be private, and is not final.
 *
 * <p>An instance field is set before the {@code @BeforeEach} methods of each test, with the values of that test. This
 * includes fields of the enclosing classes, and tests that share one instance. A static field is set before the
 * {@code @BeforeAll} methods, with the values of the class. Neither is set for a test or class that does not run, so no
 * mesh is opened needlessly.
 *
 * <p>The annotation alone does not track a class. Add {@link TrackAllocations}; without it the test fails with a
 * message.
 *
 * <h2>Threads</h2>
 *
 * <p>If tests of one instance run concurrently, one field cannot hold the values of each. Such a field is an error; use
 * a parameter instead.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.ANNOTATION_TYPE})
@ExtendWith(UnfilledFields.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface Tracked {}
