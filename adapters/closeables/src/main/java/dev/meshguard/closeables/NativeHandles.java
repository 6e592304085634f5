package dev.meshguard.closeables;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.handle.EndOfPath;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The handles of native memory that a test must close; a parameter of a test with
 * {@link dev.meshguard.junit.TrackAllocations}.
 *
 * <pre>{@code
 * @TrackAllocations
 * class ModelTest {
 *     @Test
 *     void closesItsTensor(NativeHandles handles) throws OrtException {
 *         OnnxTensor tensor = handles.track(OnnxTensor.createTensor(environment, data), OnnxTensor::isClosed);
 *         tensor.close();
 *     }
 * }
 * }</pre>
 *
 * <p>Most libraries report nothing when a handle is closed. The handles are therefore asked before each look at what is open:
 * at the end of the test, and while its check waits for late frees. Until then each is held strongly, because one that was
 * closed and then collected cannot be asked. The check sees an open handle as leaked memory, with the line that tracked it and
 * the field that holds it.
 *
 * <p>Handles are compared by identity: their {@code equals} and {@code hashCode} are never called.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@EndOfPath
public final class NativeHandles {

    private static final OriginFilter CALLERS = OriginFilter.skipping(NativeHandles.class);

    private final AllocationTracker tracker;
    private final String test;
    private final List<Entry<?>> open = new ArrayList<>();
    private boolean isOver;

    NativeHandles(AllocationTracker tracker, String test) {
        this.tracker = tracker;
        this.test = test;
    }

    /** An open handle. */
    private static final class Entry<T> {

        private final Lease lease;
        private final Predicate<? super T> isClosed;
        private final WeakReference<T> weak;
        private @Nullable T strong;
        private boolean hasFailed;

        Entry(Lease lease, Predicate<? super T> isClosed, T handle) {
            this.lease = lease.handedOut(handle);
            this.isClosed = isClosed;
            this.weak = new WeakReference<>(handle);
            this.strong = handle;
        }

        /** A handle that was released and then collected is a survivor, which was reported. */
        boolean isClosed() {
            T handle = strong != null ? strong : weak.get();
            return handle != null && isClosed.test(handle);
        }
    }

    /**
     * Tracks a handle of memory whose size is unknown.
     *
     * @param handle the handle, which the test must close
     * @param isClosed asks it; called by the thread of the check
     * @return the handle
     * @throws IllegalStateException if the test of these handles is over
     */
    public <T> T track(T handle, Predicate<? super T> isClosed) {
        return track(handle, isClosed, 0);
    }

    /**
     * Tracks a handle.
     *
     * @param handle the handle, which the test must close
     * @param isClosed asks it; called by the thread of the check
     * @param bytes the size of its memory, from 0; 0 if it is unknown
     * @return the handle
     * @throws IllegalArgumentException if the size is negative
     * @throws IllegalStateException if the test of these handles is over
     */
    public <T> T track(T handle, Predicate<? super T> isClosed, long bytes) {
        Objects.requireNonNull(handle, "handle");
        Objects.requireNonNull(isClosed, "isClosed");
        if (bytes < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "Cannot track %d B: give a size from 0, which is an unknown one.", bytes));
        }
        synchronized (open) {
            if (isOver) {
                throw new IllegalStateException(
                        "Cannot track a " + handle.getClass().getSimpleName()
                                + ": these NativeHandles belonged to " + test
                                + ", which is over and was checked. Ask for NativeHandles where you use them.");
            }
            AllocationDetails details = AllocationDetails.user().labelled(nameOf(handle.getClass()));
            open.add(new Entry<>(tracker.lease(details, CALLERS, BufferType.SYSTEM_MEMORY, bytes), isClosed, handle));
        }
        return handle;
    }

    /** An anonymous class has no simple name. */
    private static String nameOf(Class<?> type) {
        return type.getSimpleName().isEmpty() ? type.getName() : type.getSimpleName();
    }

    /** Reports the handles that were closed. */
    void poll() {
        List<Entry<?>> asked;
        synchronized (open) {
            asked = List.copyOf(open);
        }
        // Without the lock, because the handles run code of their library.
        List<Entry<?>> closed = asked.stream().filter(this::isClosed).toList();
        synchronized (open) {
            open.removeAll(new HashSet<>(closed));
        }
        closed.forEach(entry -> entry.lease.freed());
    }

    private boolean isClosed(Entry<?> entry) {
        try {
            return entry.isClosed();
        } catch (RuntimeException unknown) {
            if (!entry.hasFailed) {
                entry.hasFailed = true;
                tracker.reportsLost(1, "a tracked handle did not answer whether it is closed: " + unknown);
            }
            return false;
        }
    }

    /** Holds the survivors weakly from now on. */
    void release(Set<Object> survivors) {
        synchronized (open) {
            for (Entry<?> entry : open) {
                if (survivors.contains(entry.strong)) {
                    entry.strong = null;
                }
            }
        }
    }

    /** Rejects further handles: nothing would check them. */
    void close() {
        synchronized (open) {
            isOver = true;
        }
    }
}
