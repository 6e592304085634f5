package dev.meshguard.tracker.handle;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Says that whoever holds an object of this class holds a handle to memory through it, so that {@link HandleSearch} looks into it
 * and does not tell its fields: who reads {@code KvCacheTest.cache -> ArrayList[0]} does not care what a tensor is made of.
 *
 * <p>For the classes of a source of reports, where what users hold is not itself what it hands to
 * {@link dev.meshguard.tracker.AllocationListener#handedOut}.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface PartOfHandle {}
