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
 * {@code @ExpectBuffers} lets buffers stay allocated at the end of a test, with the reason why.
 *
 * <p>Conditions that are left out fit every buffer; numbers are given as {@code device = 3}, and negative ones are refused. {@link #atMost} and {@link #bytes} are bounds over all devices: one
 * buffer more than they allow fails the test again, and so do fewer than {@link #exactly} or {@link #atLeast} promise. The failure of a
 * leak ends with an entry to paste.
 *
 * <p>On a method that holds for no buffer at all, too. Where a method has several invocations or starts several programs, one of them has
 * to leave what fits; otherwise the method fails. On a class none in one test is in order. Whether an entry matched anything at all is judged
 * at the end of a whole run that has a name: see {@link RunVerifier}.
 *
 * <pre>{@code
 * @Test
 * @ExpectBuffers(type = BufferType.DRAM, label = "weights", atMost = 8, because = "shared by the whole suite")
 * void decode(MeshDevice mesh) { … }
 * }</pre>
 *
 * <p>Unlike {@link TrackAllocations}, of which the nearest counts, these add up: those of the method are tried first, then
 * those of the class, its superclasses and interfaces, then those of the classes around it. They may be part of annotations
 * of your own. On a mesh that tests share, one on a method is refused unless each test answers for itself: see {@link Accounting}.
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

    /** Returns why they may stay; not blank. */
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

    /** Returns how many may stay at most, over all devices, 0 or more; at most one, any number if none is given. */
    long[] atMost() default {};

    /**
     * Returns how many stay at least, over all devices, 0 or more; fewer fail the test. At most one, no number is too small if none is
     * given.
     */
    long[] atLeast() default {};

    /**
     * Returns how many stay exactly, over all devices, 0 or more, instead of {@link #atMost}; at most one, any number if none is given.
     */
    long[] exactly() default {};

    /** Returns how many bytes may stay at most, over all devices, 0 or more; at most one, any number if none is given. */
    long[] bytes() default {};

    /** Returns who frees them; at most one, anybody if none is given. */
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
     * Returns a class, method or package that asks for them, for example {@code KvCacheTest.weights}; any origin if empty.
     *
     * @see dev.meshguard.verdict.expectation.OriginPattern
     */
    String origin() default "";

    /** Returns the last day on which they may stay, as an ISO date, for example {@code 2026-12-31}; for ever if empty. */
    String until() default "";

    /** Several entries at one place; the compiler writes it. */
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
