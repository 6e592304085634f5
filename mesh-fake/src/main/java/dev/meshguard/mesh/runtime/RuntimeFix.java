package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A repair of the runtime that engineers proposed while they searched for leaks; enable it to see its effects.
 *
 * <p>All are off by default: none of them is in the runtime. {@link CloseOrder} reorders the close of a mesh. Another way of
 * counting is a policy of the tracker. Accepted survivors are an expectation.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum RuntimeFix {
    /**
     * Before it clears its allocators, closing a mesh frees everything that they still have allocated, without reporting it.
     *
     * <p>{@code force_cleanup_all_buffers}, option 1 of seed 000. The device looks clean, but the code under test still did not
     * free its buffers. The snapshot at the start of the close still shows them.
     */
    FORCE_CLEANUP_ALL_BUFFERS,
    /**
     * A program that ends reports the free of its kernel binary although its device is closed.
     *
     * <p>Option 1 of seed 002, the program's destructor as the owner of its buffers. The free is late, and its memory was
     * cleared before. A ledger that counts every report still lacks the free of the view that loaded the binary.
     */
    PROGRAMS_REPORT_BINARIES_AFTER_CLOSE,
    /**
     * Closing a mesh clears its program cache first.
     *
     * <p>Option 2 of seed 002. A ledger that counts references contains no cached buffer afterwards. A ledger that counts every
     * report still contains what was reported twice.
     */
    CLEAR_PROGRAM_CACHE_ON_CLOSE,
    /**
     * The runtime does not report the temporary view through which it loads a kernel binary.
     *
     * <p>Option 4 of seed 002, which asked why the same address was allocated twice. It was allocated once and reported twice.
     * Buffers of the program cache remain.
     */
    LOADING_VIEWS_NOT_REPORTED,
    /**
     * Closing a device clears its {@code command_queue_programs_} before it destroys its allocator.
     *
     * <p>Fix 1 of seed 003. If these programs own buffers ({@link SystemProgram#dispatch}), their frees reach the allocator
     * before it is destroyed. Buffers of the program cache and of the fabric remain.
     */
    CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS,
    /**
     * Closing a device also resets its {@code fabric_program_}.
     *
     * <p>Fix 2 of seed 003. If that program owns buffers ({@link SystemProgram#fabric}), their frees are reported; no other
     * code reports them. Buffers of the program cache remain.
     */
    RESET_FABRIC_PROGRAM_ON_CLOSE
}
