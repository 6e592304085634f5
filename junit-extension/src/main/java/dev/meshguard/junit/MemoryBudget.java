package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
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
 * {@code @MemoryBudget} fails a test that uses more of one memory than it may, and says who held the most then.
 *
 * <p>A limit holds for each device by itself, or for one. A peak always includes circular buffers: they lie outside every
 * allocator, so whoever asks the allocator sees less than half of some peaks.
 *
 * <pre>{@code
 * @Test
 * @MemoryBudget(type = BufferType.L1, peakBytes = 1_310_720, liveBytes = 0)
 * @MemoryBudget(type = BufferType.DRAM, device = 0, largestFreeBlock = 536_870_912)
 * void decode(MeshDevice mesh) { … }
 * }</pre>
 *
 * <p>Of several budgets for the same memory of the same device (or of each) the nearest counts, as a whole: that of the method before
 * those of the class, its superclasses and the classes around it. So a test may be given more than its class allows. Budgets for other
 * memories or devices add up. They may be part of annotations of your own. On a mesh that tests share, one on a method is refused unless
 * each test answers for itself: see {@link Accounting}; it then holds for what that test takes, not for what is there already.
 *
 * <p>{@link #largestFreeBlock} and {@link #fragmentation} are asked of the meshes that are open when the test method has ended; with no
 * such mesh the test fails, because what cannot be checked must not pass.
 *
 * @since 0.1
 * @see dev.meshguard.verdict.budget.BudgetSpec
 */
@Documented
@Inherited
@Repeatable(MemoryBudget.List.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface MemoryBudget {

    /** Returns the memory. */
    BufferType type();

    /** Returns the device id, 0 or more; at most one, each device by itself if none is given. */
    int[] device() default {};

    /** Returns the most bytes in use at once, circular buffers among them, 0 or more; at most one, any if none is given. */
    long[] peakBytes() default {};

    /** Returns the most bytes in use at the end, circular buffers among them, 0 or more; at most one, any if none is given. */
    long[] liveBytes() default {};

    /** Returns the most buffers in use at once, circular buffers among them, 0 or more; at most one, any number if none is given. */
    long[] buffers() default {};

    /** Returns the least bytes that the largest free block of a bank must have, 0 or more; at most one, any if none is given. */
    long[] largestFreeBlock() default {};

    /**
     * Returns the largest part of the free memory of a bank that may lie outside its largest free block, 0 to 1; at most one, any if none
     * is given.
     */
    double[] fragmentation() default {};

    /** Several budgets at one place; the compiler writes it. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @ExtendWith(MeshGuardExtension.class)
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    @interface List {

        /** Returns the budgets. */
        MemoryBudget[] value();
    }
}
