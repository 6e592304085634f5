package dev.meshguard.mesh.allocator;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Warns each thread once when it allocates while a trace exists.
 *
 * <p>The runtime warns once per thread for the whole process, for all devices together (quirk Q10). The allocators of one
 * simulated process therefore share one instance. Safe for use by several threads. Source:
 * {@code tt_metal/impl/allocator/allocator.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class UnsafeAllocationWarner {

    private final Consumer<String> sink;
    /** Null until the first thread is warned; most runtimes warn no thread. */
    private @Nullable Set<Thread> warned;

    private UnsafeAllocationWarner(Consumer<String> sink) {
        this.sink = sink;
    }

    /** {@return an unused warning that writes to the log of {@link Allocator}} */
    public static UnsafeAllocationWarner toLog() {
        return to(warning -> LoggerFactory.getLogger(Allocator.class).warn(warning));
    }

    /**
     * {@return an unused warning that calls the given sink}
     *
     * @param sink receives the runtime's text, on the thread that is warned
     */
    public static UnsafeAllocationWarner to(Consumer<String> sink) {
        return new UnsafeAllocationWarner(sink);
    }

    void warnThisThread() {
        if (isFirstOfThisThread()) {
            sink.accept("Allocating device buffers is unsafe due to the existence of an active trace."
                    + " These buffers may be corrupted once a trace is executed.");
        }
    }

    private synchronized boolean isFirstOfThisThread() {
        Set<Thread> known = warned;
        if (known == null) {
            known = Collections.newSetFromMap(new WeakHashMap<>());
            warned = known;
        }
        return known.add(Thread.currentThread());
    }
}
