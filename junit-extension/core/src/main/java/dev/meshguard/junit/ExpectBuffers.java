package dev.meshguard.junit;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@code @ExpectBuffers} declares buffers that a test is expected to leave allocated at its end, with the reason.
 *
 * <p>An omitted condition matches every buffer. Numbers are given as {@code device = 3}; negative numbers are an error.
 * {@link #atMost} and {@link #bytes} are bounds over all devices. The test fails if more buffers match, or if fewer
 * match than {@link #exactly} or {@link #atLeast} require. A leak failure ends with an entry to paste.
 *
 * <p>An entry on a method that matches no buffer fails the test. If a method has several invocations or starts several
 * programs, one of them must leave a matching buffer. An entry on a class need not match in each test. Unused entries
 * are reported at the end of a whole run that has a name: see {@link RunVerifier}.
 *
 * <pre>{@code
 * @Test
 * @ExpectBuffers(type = BufferType.DRAM, label = "weights", atMost = 8, because = "shared by the whole suite")
 * void decode(MeshDevice mesh) { … }
 * }</pre>
 *
 * <p>Unlike {@link TrackAllocations}, of which only the nearest applies, these annotations add up. The order is:
 *
 * <ol>
 * <li>those of the method
 * <li>those of the class, its superclasses and interfaces
 * <li>those of the enclosing classes
 * </ol>
 *
 * <p>They may be used as meta-annotations. On a mesh that tests share, an entry on a method is an error unless each
 * test is responsible for its own allocations: see {@link Accounting}.
 *
 * @since 0.1
 * @see ExpectedBuffersFile
 * @see dev.meshguard.verdict.expectation.Expectation
 */
@Documented
@Inherited
@Repeatable(ExpectBuffers.List.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface ExpectBuffers {

    /** Returns why the buffers are expected; not blank. */
    String because();

    /** Returns the memory; at most one, any if none is given. */
    BufferType[] type() default {};

    /** Returns the device id, 0 or more; at most one, any if none is given. */
    int[] device() default {};

    /** Returns the device ids, 0 or more, instead of {@link #device}; any if none is given. */
    int[] devices() default {};

    /** Returns the exact size of each, in bytes, 0 or more; at most one, any if none is given. */
    long[] size() default {};

    /** Returns the smallest size of each, in bytes, 0 or more, instead of {@link #size}; at most one, no limit if none is given. */
    long[] minSize() default {};

    /** Returns the largest size of each, in bytes, 0 or more, instead of {@link #size}; at most one, no limit if none is given. */
    long[] maxSize() default {};

    /**
     * Returns the most buffers that are expected, over all devices, 0 or more; at most one, any number if none is
     * given.
     */
    long[] atMost() default {};

    /**
     * Returns the fewest buffers that are expected, over all devices, 0 or more; fewer fail the test. At most one, no
     * minimum if none is given.
     */
    long[] atLeast() default {};

    /**
     * Returns the exact number of expected buffers, over all devices, 0 or more, instead of {@link #atMost}; at most
     * one, any number if none is given.
     */
    long[] exactly() default {};

    /**
     * Returns the most bytes that are expected, over all devices, 0 or more; at most one, any number if none is given.
     */
    long[] bytes() default {};

    /** Returns the party that frees them; at most one, any if none is given. */
    BufferLifetime[] lifetime() default {};

    /** Returns the name of the phase in which they are allocated, for example {@code SETUP}; any if empty. */
    String phase() default "";

    /** Returns the kind of the owner; at most one, any owner or none if none is given. */
    Owner.Kind[] ownerKind() default {};

    /** Returns a part of the owner's name; any owner or none if empty. */
    String owner() default "";

    /** Returns the exact label; any label or none if empty. */
    String label() default "";

    /**
     * Returns a class, method or package that allocates them, for example {@code KvCacheTest.weights}; any origin if
     * empty.
     *
     * @see dev.meshguard.verdict.expectation.OriginPattern
     */
    String origin() default "";

    /**
     * Returns whether the entry permits that the data of the buffers is overwritten, instead of their survival.
     *
     * @see dev.meshguard.verdict.expectation.Expectation#overwritten()
     */
    boolean overwritten() default false;

    /**
     * Returns the last day on which the entry applies, as an ISO date, for example {@code 2026-12-31}; no end if empty.
     */
    String until() default "";

    /** Container of several {@link ExpectBuffers} on one element; generated by the compiler. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @ExtendWith(MeshGuardExtension.class)
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    @interface List {

        /** Returns the entries. */
        ExpectBuffers[] value();
    }
}
