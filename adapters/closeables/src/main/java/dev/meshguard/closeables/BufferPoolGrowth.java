package dev.meshguard.closeables;

import dev.meshguard.text.Quantities;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The growth of the JDK's buffer pools during a test, compared with the buffers that were seen.
 *
 * <p>It says nothing about tests at the same time: none of them could know whose memory it is.
 */
final class BufferPoolGrowth {

    /** The JDK frees the memory of a collected buffer on a thread of its own. */
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final Set<BufferPoolGrowth> RUNNING = new HashSet<>();

    private final long unseenBefore = unseenBytes();
    private boolean isAlone = true;

    private BufferPoolGrowth() {}

    static BufferPoolGrowth begin() {
        BufferPoolGrowth begun = new BufferPoolGrowth();
        synchronized (RUNNING) {
            RUNNING.add(begun);
            if (RUNNING.size() > 1) {
                RUNNING.forEach(one -> one.isAlone = false);
            }
        }
        return begun;
    }

    /** Returns a note if the pools grew by more than was seen; called at the end. */
    Optional<String> unseen() {
        synchronized (RUNNING) {
            RUNNING.remove(this);
        }
        long unseen = isAlone ? unseenBytes() - unseenBefore : 0;
        for (long start = System.nanoTime(); unseen > 0 && System.nanoTime() - start < MAX_WAIT_NANOS; ) {
            LockSupport.parkNanos(PAUSE_NANOS);
            unseen = unseenBytes() - unseenBefore;
        }
        return unseen <= 0
                ? Optional.empty()
                : Optional.of("the JDK's buffer pools grew by " + Quantities.shortSize(unseen)
                        + " more than the buffers that were seen, for example by mapped memory segments");
    }

    private static long unseenBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getTotalCapacity)
                        .sum()
                - DirectBuffers.OF_JVM.bytes();
    }
}
