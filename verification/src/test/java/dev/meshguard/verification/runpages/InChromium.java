package dev.meshguard.verification.runpages;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Gives the tests of a class a tab of a browser, one for all of them, one after the other.
 *
 * <p>Where none is installed the tests are skipped and say so. With {@code MESHGUARD_BROWSER=required} in the environment they fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(BrowserExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
@interface InChromium {}
