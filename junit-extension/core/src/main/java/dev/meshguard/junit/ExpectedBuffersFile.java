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
 * {@code @ExpectedBuffersFile} names a checked-in file of buffers that tests are expected to leave allocated, one entry
 * a line.
 *
 * <pre>{@code
 * @TrackAllocations
 * @ExpectedBuffersFile("src/test/meshguard-expected.txt")
 * class KvCacheTest { … }
 * }</pre>
 *
 * <p>Its entries apply like {@link ExpectBuffers} at the same location, and are tried after those.
 * {@code ExpectedBuffers} describes the format of a line. To use one file for all tests, set the configuration
 * parameter {@code meshguard.expected-buffers}. In both cases failures name file and line. An entry that matches
 * nothing in a whole run fails the run: see {@link RunVerifier}.
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

    /**
     * Returns the path of the file, relative to the working directory of the tests; Maven runs tests in the folder of
     * their module.
     */
    String value();
}
