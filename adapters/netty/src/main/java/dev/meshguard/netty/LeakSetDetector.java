package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Netty 4.1's leak detector with its private set of leak records replaced by one that reports every buffer to the tracker of its test.
 *
 * <p>Netty 4.1 lets no detector override {@code track}, but each of its detectors keeps the leak records of its buffers in one
 * set. Netty adds a record on the thread that allocates and removes it on the thread that releases last. This detector replaces
 * that set, which is a private field, by one that reports. An allocator that reports would need no private field. It would see
 * only the buffers of tests that pass it on, though, and none of those that servers and clients allocate for themselves.
 *
 * <p>Each test {@linkplain #obstacle() tries} whether Netty uses the set, so that another Netty makes the verdict inconclusive.
 * Source: {@code io.netty.util.ResourceLeakDetector}.
 *
 * <p>Safe for use by several threads.
 */
final class LeakSetDetector extends ResourceLeakDetector<ByteBuf> {

    /** Netty tracks one buffer of so many. */
    private static final int EVERY_BUFFER = 1;

    private final ReportingSet records = new ReportingSet();
    private final @Nullable String failure;

    private LeakSetDetector() {
        super(ByteBuf.class, EVERY_BUFFER);
        this.failure = replaceSet();
    }

    /** Creates a detector. */
    static LeakSetDetector create() {
        return new LeakSetDetector();
    }

    private @Nullable String replaceSet() {
        try {
            Field field = ResourceLeakDetector.class.getDeclaredField("allLeaks");
            field.setAccessible(true);
            field.set(this, records);
            return null;
        } catch (ReflectiveOperationException | RuntimeException differs) {
            return differs.toString();
        }
    }

    /** Returns why buffers are not seen now, as a part of a sentence; empty if they are. */
    Optional<String> obstacle() {
        if (failure != null) {
            return Optional.of("the leak records of this Netty cannot be observed (" + failure + ")");
        }
        if (!isEnabled()) {
            return Optional.of("code has disabled Netty's leak detection with ResourceLeakDetector.setLevel");
        }
        return isInformed() ? Optional.empty() : Optional.of("this Netty keeps its leak records elsewhere");
    }

    @SuppressWarnings("unchecked") // Netty accepts every object.
    private boolean isInformed() {
        Object probe = new Object();
        ResourceLeakTracker<Object> leak = ((ResourceLeakDetector<Object>) (ResourceLeakDetector<?>) this).track(probe);
        if (leak == null) {
            return false;
        }
        boolean isReported = records.contains(leak);
        leak.close(probe);
        return isReported;
    }

    /** Netty calls it for retained slices and duplicates only, and needs a result. */
    @Override
    public ResourceLeakTracker<ByteBuf> trackForcibly(ByteBuf derived) {
        return SilentLeakTracker.INSTANCE;
    }

    /** Otherwise Netty would log buffers that it finds after a collection; the check reports them. */
    @Override
    protected boolean needReport() {
        return false;
    }

    /** The leak records of buffers that are not released. Records are weak references, compared by identity. */
    private static final class ReportingSet extends AbstractSet<Object> {

        private final Map<Object, ResourceLeakTracker<ByteBuf>> reported = new ConcurrentHashMap<>();

        @Override
        public boolean add(Object leak) {
            Object resource = ((Reference<?>) leak).get();
            Optional<ResourceLeakTracker<ByteBuf>> report = resource instanceof ByteBuf buffer
                    ? ReportedBuffers.report(buffer)
                    : Optional.of(SilentLeakTracker.INSTANCE);
            report.ifPresent(allocated -> reported.put(leak, allocated));
            return true;
        }

        /** Netty removes a record after the last release, and after the collector has cleared it: then nothing was freed. */
        @Override
        public boolean remove(Object leak) {
            ResourceLeakTracker<ByteBuf> allocated = reported.remove(leak);
            if (allocated != null && ((Reference<?>) leak).get() instanceof ByteBuf released) {
                allocated.close(released);
            }
            return true;
        }

        @Override
        public boolean contains(Object leak) {
            return reported.containsKey(leak);
        }

        @Override
        public Iterator<Object> iterator() {
            return reported.keySet().iterator();
        }

        @Override
        public int size() {
            return reported.size();
        }
    }
}
