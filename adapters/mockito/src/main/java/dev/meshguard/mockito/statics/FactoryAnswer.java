package dev.meshguard.mockito.statics;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.junit.source.PolledHandles;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.stubbing.Answer;

/**
 * Calls the real method of each static call, and tracks what the factories return to the code under test.
 *
 * <p>Mockito calls it on the thread that registered it only.
 */
final class FactoryAnswer<T> implements Answer<@Nullable Object> {

    private final StaticFactory<T> factory;
    private final AllocationTracker tracker;
    private final PolledHandles polled;
    private final OriginFilter callers;
    private final HandleWrappers<T> wrappers;
    /** The calls of factories that have not returned. A factory that calls another one counts once. */
    private int depth;

    FactoryAnswer(StaticFactory<T> factory, AllocationTracker tracker, PolledHandles polled) {
        this.factory = factory;
        this.tracker = tracker;
        this.polled = polled;
        this.callers = OriginFilter.skipping(
                "org.mockito.",
                "net.bytebuddy.",
                PolledHandles.class.getName(),
                FactoryAnswer.class.getName(),
                HandleWrappers.class.getName(),
                factory.handles().getName(),
                factory.type().getName());
        this.wrappers = new HandleWrappers<>(factory);
    }

    @Override
    public @Nullable Object answer(InvocationOnMock call) throws Throwable {
        if (!factory.isFactory(call.getMethod())) {
            return call.callRealMethod();
        }
        Object returned;
        depth++;
        try {
            returned = call.callRealMethod();
        } finally {
            depth--;
        }
        return depth == 0 && returned != null ? tracked(factory.handles().cast(returned)) : returned;
    }

    /** Returns what the code under test gets in place of a handle. */
    private T tracked(T handle) {
        Optional<Predicate<? super T>> isClosed = factory.isClosed();
        if (isClosed.isEmpty()) {
            return wrappers.wrap(handle, () -> leaseOf(handle));
        }
        polled.track(handle, isClosed.get(), () -> leaseOf(handle));
        return handle;
    }

    private Lease leaseOf(T handle) {
        AllocationDetails details = AllocationDetails.user()
                .fromSource(StaticFactoriesSource.ID)
                .labelled(factory.handles().getSimpleName());
        return tracker.lease(
                factory.isFreedOnCollection() ? details.asFreedOnCollection() : details,
                callers,
                BufferType.SYSTEM_MEMORY,
                sizeOf(handle));
    }

    /** A size that cannot be read must not change what the code under test does, and not be lost. */
    private long sizeOf(T handle) {
        try {
            long bytes = factory.bytes().applyAsLong(handle);
            if (bytes >= 0) {
                return bytes;
            }
            sizeUnknown("it was said to be " + Quantities.count(bytes, "byte"));
        } catch (RuntimeException unreadable) {
            sizeUnknown(unreadable.toString());
        }
        return 0;
    }

    private void sizeUnknown(String reason) {
        tracker.reportsLost(1, "the size of a " + factory.handles().getSimpleName() + " could not be read: " + reason);
    }
}
