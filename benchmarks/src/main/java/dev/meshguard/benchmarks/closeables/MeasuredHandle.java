package dev.meshguard.benchmarks.closeables;

/** An object that must be closed. */
public interface MeasuredHandle extends AutoCloseable {

    @Override
    void close();

    /** A handle whose class no test names. */
    final class Bare implements MeasuredHandle {

        private boolean isClosed;

        @Override
        public void close() {
            isClosed = true;
        }

        @Override
        public String toString() {
            return isClosed ? "closed" : "open";
        }
    }

    /** A handle that keeps the stack of its construction: the lower bound for every tool with exact origins. */
    final class WithStack implements MeasuredHandle {

        private final Throwable stack = new Throwable();
        private boolean isClosed;

        @Override
        public void close() {
            isClosed = true;
        }

        @Override
        public String toString() {
            return isClosed ? "closed" : stack.toString();
        }
    }

    /** A handle whose class a test names. */
    final class Tracked implements MeasuredHandle {

        private boolean isClosed;

        @Override
        public void close() {
            isClosed = true;
        }

        @Override
        public String toString() {
            return isClosed ? "closed" : "open";
        }
    }
}
