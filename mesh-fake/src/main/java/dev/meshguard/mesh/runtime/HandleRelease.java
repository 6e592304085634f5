package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What happens to memory whose handles nobody holds any more, although none of them gave it back.
 *
 * <p>Handles are tensors, buffers, programs, workloads and whatever else has a {@code close()}. In C++ and in Python each has a
 * destructor, which gives the memory back: at once where references are counted, and with the next collection where the handle is
 * part of a reference cycle. Java has no destructors, so a handle that goes out of scope keeps its memory unless this is chosen
 * otherwise.
 *
 * <p>What a program holds elsewhere does not matter: a cached workload belongs to the cache, and a device's part of a mesh buffer
 * owns nothing.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum HandleRelease {
    /** It stays taken: only a call gives memory back. The same program has the same history. */
    EXPLICIT,
    /**
     * It is freed when the last handle that shares it was collected, and reports say so; never otherwise.
     *
     * <p>The mesh looks for collected handles whenever it is asked to allocate memory, to take it back, to count it or to run
     * something, and when it is asked to close, before the close begins. The frees so happen on the thread that calls, in its
     * phase, as Python's do; never in the middle of a call, and never beside a program that has one thread. When the collector
     * finds a handle is up to the Java virtual machine, so a history is only repeatable as far as that is. A handle found after
     * the close falls under what applies to any free after the close, and is found when the closed mesh is called once more.
     */
    ON_COLLECT
}
