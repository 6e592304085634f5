package dev.meshguard.junit;

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
 * {@code @ExpectedBuffersFile} lets buffers stay that a checked-in file lists, a line each.
 *
 * <pre>{@code
 * @TrackAllocations
 * @ExpectedBuffersFile("src/test/meshguard-expected.txt")
 * class KvCacheTest { … }
 * }</pre>
 *
 * <p>Its entries count as {@link ExpectBuffers} at the same place would, after those; {@code ExpectedBuffers} says how a line reads.
 * A file for all tests is named once, by the configuration parameter {@code meshguard.expected-buffers}. Either way failures
 * name file and line, and an entry that matches nothing in a whole run fails the run: see {@link RunVerifier}.
 *
 * @since 0.1
 * @see dev.meshguard.verdict.expectation.ExpectedBuffers
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface ExpectedBuffersFile {

    /** Returns the path of the file, from the folder in which the tests run; Maven runs them in that of their module. */
    String value();
}
