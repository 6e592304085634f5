package dev.meshguard.mockito.statics;

import dev.meshguard.handle.EndOfPath;
import dev.meshguard.tracker.Lease;
import java.lang.ref.WeakReference;
import java.util.IdentityHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.stubbing.Answer;

/**
 * The wrappers that the code under test gets in place of handles, so that calls which close them are seen.
 *
 * <p>A wrapper is held weakly: the code under test can lose it. Safe for use by several threads.
 */
@EndOfPath
final class HandleWrappers<T> {

    private final StaticFactory<T> factory;
    /** By the wrapped handle, until it is closed; guarded by itself. */
    private final IdentityHashMap<T, Wrapper> open = new IdentityHashMap<>();

    HandleWrappers(StaticFactory<T> factory) {
        this.factory = factory;
    }

    /** Returns the wrapper of a handle: the same for each call until the handle is closed, if the caller keeps it. */
    T wrap(T handle, Supplier<Lease> lease) {
        if (isWrapper(handle)) {
            return handle;
        }
        synchronized (open) {
            Wrapper wrapper = open.computeIfAbsent(handle, unused -> new Wrapper(handle, lease.get()));
            T existing = wrapper.weak.get();
            return existing == null ? wrapper.renewed() : existing;
        }
    }

    /** A factory may return an argument of its call. */
    private static boolean isWrapper(Object handle) {
        return Mockito.mockingDetails(handle).isMock()
                && Mockito.mockingDetails(handle).getMockCreationSettings().getDefaultAnswer()
                        instanceof HandleWrappers<?>.Wrapper;
    }

    /** Answers the calls of a wrapper as its handle does. */
    private final class Wrapper implements Answer<@Nullable Object> {

        private final T handle;
        private final Lease lease;
        private final Answer<?> delegate;
        private WeakReference<T> weak = new WeakReference<>(null);

        Wrapper(T handle, Lease lease) {
            this.handle = handle;
            this.lease = lease;
            this.delegate = AdditionalAnswers.delegatesTo(handle);
        }

        /** Stubs only: a mock that remembers its calls would hold their arguments. */
        T renewed() {
            T wrapper = Mockito.mock(
                    factory.handles(), Mockito.withSettings().stubOnly().defaultAnswer(this));
            weak = new WeakReference<>(wrapper);
            lease.handedOut(wrapper);
            return wrapper;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // Handles are identities.
        public @Nullable Object answer(InvocationOnMock call) throws Throwable {
            Object returned = factory.isClose(call.getMethod()) ? close(call) : delegate.answer(call);
            return returned == handle ? call.getMock() : returned;
        }

        private @Nullable Object close(InvocationOnMock call) throws Throwable {
            Object returned;
            try {
                returned = delegate.answer(call);
            } catch (Throwable notClosed) {
                if (isOpen()) {
                    lease.freeFailed(notClosed);
                }
                throw notClosed;
            }
            if (end()) {
                lease.freed();
            }
            return returned;
        }

        private boolean isOpen() {
            synchronized (open) {
                return open.get(handle) == this;
            }
        }

        /** Returns whether this is the first close that succeeds; a second one frees nothing. */
        private boolean end() {
            synchronized (open) {
                return open.remove(handle, this);
            }
        }
    }
}
