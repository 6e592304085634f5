package dev.meshguard.closeables.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** The outermost closing method of an object decides whether it was closed. */
class ClosingMethodTests {

    static class Base {

        private int closes;

        public void close() {
            if (++closes > 2) {
                throw new IllegalStateException("closed thrice");
            }
        }
    }

    static class Handle extends Base implements AutoCloseable {}

    static class Unwatched extends Base {}

    @Test
    void aMethodFromAboveTheWatchedClassReports() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Handle().close()))
                .containsExactly("constructed Handle", "closed Handle");
    }

    @Test
    void eachCloseIsReported() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> {
                    Handle handle = new Handle();
                    handle.close();
                    handle.close();
                    handle.close();
                }))
                .containsExactly(
                        "constructed Handle",
                        "closed Handle",
                        "closed Handle",
                        "not closed Handle: closed thrice",
                        "caught IllegalStateException");
    }

    @Test
    void nothingIsReportedToAnIdleWatcher() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> {
                    recorder.idle(true);
                    Handle handle = new Handle();
                    handle.close();
                    recorder.idle(false);
                    handle.close();
                }))
                .containsExactly("closed Handle");
    }

    static class Pausing extends Handle {

        private final Runnable pause;

        Pausing(Runnable pause) {
            this.pause = pause;
        }

        @Override
        public void close() {
            pause.run();
            super.close();
        }
    }

    @Test
    void aCloseThatBeganEndsAlthoughTheWatcherIsIdleMeanwhile() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> {
                    Handle handle = new Pausing(() -> recorder.idle(true));
                    handle.close();
                    new Handle();
                    recorder.idle(false);
                }))
                .containsExactly("constructed Pausing", "closed Pausing");
    }

    static class Chained extends Handle {

        private final boolean throwsBefore;
        private final boolean throwsAfter;

        Chained(boolean throwsBefore, boolean throwsAfter) {
            this.throwsBefore = throwsBefore;
            this.throwsAfter = throwsAfter;
        }

        @Override
        public void close() {
            if (throwsBefore) {
                throw new IllegalStateException("before");
            }
            super.close();
            if (throwsAfter) {
                throw new IllegalStateException("after");
            }
        }
    }

    @Test
    void aChainOfSuperCallsIsOneClose() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Chained(false, false).close()))
                .containsExactly("constructed Chained", "closed Chained");
    }

    @Test
    void aThrowBeforeSuperIsNoClose() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Chained(true, false).close()))
                .containsExactly("constructed Chained", "not closed Chained: before", "caught IllegalStateException");
    }

    @Test
    void aThrowAfterSuperIsNoClose() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Chained(false, true).close()))
                .containsExactly("constructed Chained", "not closed Chained: after", "caught IllegalStateException");
    }

    static class Tolerant extends Handle {

        @Override
        public void close() {
            try {
                super.close();
                super.close();
                super.close();
            } catch (IllegalStateException ignored) {
                // The memory is gone.
            }
        }
    }

    @Test
    void whatTheOutermostMethodCatchesIsItsOwn() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Tolerant().close()))
                .containsExactly("constructed Tolerant", "closed Tolerant");
    }

    static class Outer extends Handle {

        private final Handle inner = new Handle();

        @Override
        public void close() {
            inner.close();
            super.close();
        }
    }

    @Test
    void anObjectThatIsClosedByAnotherIsReportedItself() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Outer().close()))
                .containsExactly("constructed Outer", "constructed Handle", "closed Handle", "closed Outer");
    }

    /** They have their closing method from the same class, so their closes are reported too. */
    @Test
    void objectsBesideTheWatchedOnesAreNotConstructed() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Unwatched().close())).containsExactly("closed Unwatched");
    }

    interface SelfClosing extends AutoCloseable {

        void flush();

        @Override
        default void close() {
            flush();
        }
    }

    abstract static class Stream implements AutoCloseable {}

    static class FlushedStream extends Stream implements SelfClosing {

        @Override
        public void flush() {
            throw new IllegalStateException("disk full");
        }
    }

    @Test
    void aDefaultMethodThatASubclassInheritsReports() {
        RecordingWatcher recorder = RecordingWatcher.watching(Stream.class);

        assertThat(recorder.reportsOf(() -> new FlushedStream().close()))
                .containsExactly(
                        "constructed FlushedStream",
                        "not closed FlushedStream: disk full",
                        "caught IllegalStateException");
    }

    static class Model {

        private long dispose(int unused) {
            return unused;
        }

        final long dispose() {
            return dispose(1);
        }

        static void release() {}
    }

    @Test
    void onlyMethodsOfObjectsWithoutParametersClose() {
        RecordingWatcher recorder = RecordingWatcher.watching(Set.of("dispose", "release"), Model.class.getName());

        assertThat(recorder.reportsOf(() -> {
                    Model model = new Model();
                    model.dispose(0);
                    Model.release();
                    model.dispose();
                }))
                .containsExactly("constructed Model", "closed Model");
    }

    @Test
    void closingMethodsAreAddedToThoseOfAnEarlierRequest() {
        RecordingWatcher recorder = RecordingWatcher.watching(Set.of("release", "dispose"), Model.class.getName());
        RecordingWatcher same = RecordingWatcher.watching(Set.of("dispose"), Model.class.getName());

        assertThat(recorder.reportsOf(() -> new Model().dispose())).endsWith("closed Model");
        assertThat(same.reportsOf(() -> {})).endsWith("closed Model");
    }
}
