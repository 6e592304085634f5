package dev.meshguard.tracker.handle;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Says that {@link HandleSearch} does not look into objects of this class: what they hold is not held by the code under test.
 *
 * <p>For the classes of a source of reports that know everything, as a device does.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface EndOfPath {}
