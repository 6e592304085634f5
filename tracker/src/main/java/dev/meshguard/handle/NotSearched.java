package dev.meshguard.handle;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Excludes objects of the annotated class from {@link HandleSearch}: the code under test does not hold their contents.
 *
 * <p>For classes of a source that know every buffer, as a device does.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface NotSearched {}
