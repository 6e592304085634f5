package dev.meshguard.closeables;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

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
@NotSearched
public final class NativeHandles {

    /** The name of the source, whose words the failures use. */
    static final String SOURCE = "native handles";

    private static final List<String> OWN_FRAMES =
            List.of(NativeHandles.class.getName(), PolledHandles.class.getName());

    private final AllocationTracker tracker;
    private final String test;
    private final AllocationDetails details;
    /** The classes and packages whose frames are no origin. */
    private final List<String> skipped;

    private final OriginFilter callers;
    private final PolledHandles open;
    /** Guarded by the monitor of the handles, as no handle may be tracked after the test. */
    private final AtomicBoolean isOver;

    NativeHandles(AllocationTracker tracker, String test) {
        this(
                tracker,
                test,
                AllocationDetails.user().fromSource(SOURCE),
                OWN_FRAMES,
                new PolledHandles(tracker),
                new AtomicBoolean());
    }

    private NativeHandles(
            AllocationTracker tracker,
            String test,
            AllocationDetails details,
            List<String> skipped,
            PolledHandles open,
            AtomicBoolean isOver) {
        this.tracker = tracker;
        this.test = test;
        this.details = details;
        this.skipped = skipped;
        this.callers = OriginFilter.skipping(skipped.toArray(String[]::new));
        this.open = open;
        this.isOver = isOver;
    }

    /**
     * Returns these handles for a library that frees memory some time after its handle was garbage collected, for example JavaCPP
     * or a library that uses {@link java.lang.ref.Cleaner}.
     *
     * <p>A dropped handle is still a leak, because nothing bounds the time until the collector finds it. The failure then says that
     * only the collector frees it, and no longer that no code can.
     */
    public NativeHandles freedOnCollection() {
        return new NativeHandles(tracker, test, details.asFreedOnCollection(), skipped, open, isOver);
    }

    /**
     * Returns these handles for a helper that tracks what other code allocates. The line of a leak is then the one that called the
     * helper.
     *
     * @param names the helper and its callers in the library, as in {@link OriginFilter#skipping(String...)}
     * @throws IllegalArgumentException if a name is blank
     */
    public NativeHandles skipping(String... names) {
        List<String> all = Stream.concat(skipped.stream(), Stream.of(names)).toList();
        return new NativeHandles(tracker, test, details, all, open, isOver);
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
        AllocationDetails labelled = details.labelled(nameOf(handle.getClass()));
        synchronized (open) {
            if (isOver.get()) {
                throw new IllegalStateException(
                        "Cannot track a " + handle.getClass().getSimpleName()
                                + ": these NativeHandles belonged to " + test
                                + ", which is over and was checked. Ask for NativeHandles where you use them.");
            }
            open.track(handle, isClosed, () -> tracker.lease(labelled, callers, BufferType.SYSTEM_MEMORY, bytes));
        }
        return handle;
    }

    /** An anonymous class has no simple name. */
    private static String nameOf(Class<?> type) {
        return type.getSimpleName().isEmpty() ? type.getName() : type.getSimpleName();
    }

    /** Returns the handles, which are asked and released. */
    PolledHandles open() {
        return open;
    }

    /** Rejects further handles: nothing would check them. */
    void close() {
        synchronized (open) {
            isOver.set(true);
        }
    }
}
