package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The treatment of memory whose handles are all unreachable although none of them was closed.
 *
 * <p>Handles are tensors, buffers, programs, workloads and all other objects with a {@code close()}. In C++ and in Python each
 * has a destructor that frees the memory. It runs at once with reference counting, and with the next collection if the handle
 * is part of a reference cycle. Java has no destructors, so by default an unreachable handle keeps its memory.
 *
 * <p>References inside a program do not count: a cached workload belongs to the cache, and a device's part of a mesh buffer
 * owns nothing.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum HandleRelease {
    /** The memory stays allocated: only a call frees memory. The same program has the same history. */
    EXPLICIT,
    /**
     * The mesh frees the memory after the last handle that shares it was collected, and reports say so.
     *
     * <p>The mesh checks for collected handles at the beginning of each call that reads or changes its state, a close included.
     * The frees therefore happen on the calling thread, in its phase, as in Python. They never happen in the
     * middle of a call, or concurrently with a single-threaded program. The Java virtual machine decides when it collects a
     * handle, so a history is repeatable only to that extent. A handle found after the close follows the rules of any free
     * after the close. The mesh finds it on the next call to the closed mesh.
     */
    ON_COLLECT
}
