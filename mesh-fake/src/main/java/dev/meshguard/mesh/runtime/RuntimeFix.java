package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A repair that engineers who hunted leaks proposed, to be switched on to see what it changes and what it does not.
 *
 * <p>All are off by default: none of them is in the runtime. Reordering the close of a mesh is {@link CloseOrder}; counting in another way is a
 * policy of the tracker; accepting what stays is an expectation.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum RuntimeFix {
    /**
     * Closing a mesh frees whatever its allocators still allocate, without a word, before it wipes them.
     *
     * <p>{@code force_cleanup_all_buffers}, option 1 of seed 000. The device looks clean, and what the code under test forgot
     * to free was forgotten all the same: the reading taken when close begins still shows it.
     */
    FORCE_CLEANUP_ALL_BUFFERS,
    /**
     * A program that ends reports the free of its kernel binary although its device is closed.
     *
     * <p>Option 1 of seed 002, the program's destructor as the owner of its buffers. The free is late and of memory that was wiped
     * before; books that count every report still miss the one of the view that loaded the binary.
     */
    PROGRAMS_REPORT_BINARIES_AFTER_CLOSE,
    /**
     * Closing a mesh clears its program cache first.
     *
     * <p>Option 2 of seed 002. Nothing of the cache is left in books that count references; books that count every report still hold
     * what was reported twice.
     */
    CLEAR_PROGRAM_CACHE_ON_CLOSE,
    /**
     * The temporary view through which a kernel binary is loaded is not reported.
     *
     * <p>Option 4 of seed 002, which asked why the same address was allocated twice: it was not, it was reported twice. What the
     * program cache keeps stays.
     */
    LOADING_VIEWS_NOT_REPORTED,
    /**
     * Closing a device clears its {@code command_queue_programs_} before its allocator goes.
     *
     * <p>Fix 1 of seed 003. Where these programs own buffers ({@link SystemProgram#dispatch}), their frees find what they free instead
     * of an allocator that is gone; what the program cache keeps, and the fabric, stay.
     */
    CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS,
    /**
     * Closing a device resets its {@code fabric_program_} too.
     *
     * <p>Fix 2 of seed 003. Where that program owns buffers ({@link SystemProgram#fabric}), their frees are reported, which nothing
     * does otherwise; what the program cache keeps stays.
     */
    RESET_FABRIC_PROGRAM_ON_CLOSE
}
