package dev.meshguard.handle;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Marks a class whose objects are parts of a handle, so that a reference to one holds the handle.
 *
 * <p>{@link HandleSearch} looks into them but does not print their fields: a reader of
 * {@code KvCacheTest.cache -> ArrayList[0]} does not need the inner structure of a tensor. For classes of a source
 * whose users hold another object than the one passed to {@link dev.meshguard.tracker.AllocationListener#handleReturned}.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface PartOfHandle {}
