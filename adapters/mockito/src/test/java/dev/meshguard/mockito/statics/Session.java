package dev.meshguard.mockito.statics;

import java.util.concurrent.atomic.AtomicBoolean;

/** A handle of a library that shows an interface only. */
interface Session extends AutoCloseable {

    /** A session that is in use cannot be closed. */
    static Session open() {
        return new NativeSession();
    }

    static Session reused(Session session) {
        return session;
    }

    Session use();

    void leave();

    int run(int steps);

    @Override
    void close();

    /** Behaves as arenas do: a second close throws. */
    final class NativeSession implements Session {

        private final AtomicBoolean isUsed = new AtomicBoolean();
        private final AtomicBoolean isClosed = new AtomicBoolean();

        @Override
        public Session use() {
            isUsed.set(true);
            return this;
        }

        @Override
        public void leave() {
            isUsed.set(false);
        }

        @Override
        public int run(int steps) {
            if (steps < 0) {
                throw new IllegalArgumentException("steps " + steps);
            }
            return steps;
        }

        @Override
        public void close() {
            if (isUsed.get()) {
                throw new IllegalStateException("the session is in use");
            }
            if (isClosed.getAndSet(true)) {
                throw new IllegalStateException("the session is closed");
            }
        }
    }
}
