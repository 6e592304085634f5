package dev.meshguard.mesh.allocator;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.slf4j.LoggerFactory;

/**
 * Warns each thread once that it allocates while a trace exists.
 *
 * <p>The runtime warns once per thread for the whole process, whatever the device (quirk Q10). So allocators that stand for one
 * process share one of these. Safe for use by several threads. Source: {@code tt_metal/impl/allocator/allocator.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class UnsafeAllocationWarning {

    private final Consumer<String> sink;
    private final Set<Thread> warned = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private UnsafeAllocationWarning(Consumer<String> sink) {
        this.sink = sink;
    }

    /** {@return a warning that has not been given yet and will go to the log of {@link Allocator}} */
    public static UnsafeAllocationWarning toLog() {
        return to(LoggerFactory.getLogger(Allocator.class)::warn);
    }

    /**
     * {@return a warning that has not been given yet}
     *
     * @param sink takes the runtime's text, on the thread that is warned
     */
    public static UnsafeAllocationWarning to(Consumer<String> sink) {
        return new UnsafeAllocationWarning(sink);
    }

    void warnThisThread() {
        if (warned.add(Thread.currentThread())) {
            sink.accept(RuntimeMessages.UNSAFE_ALLOCATION);
        }
    }
}
