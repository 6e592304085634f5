package dev.meshguard.closeables.weave;

import static dev.meshguard.closeables.weave.RecordingWatcher.reportsOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each object that the code under test got is reported once. */
class ConstructorTests {

    static class Handle implements AutoCloseable {

        Handle() {}

        Handle(int size) {
            this();
            rejectNegative(size);
        }

        Handle(String size) {
            rejectNegative(Integer.parseInt(size));
        }

        static void rejectNegative(int size) {
            if (size < 0) {
                throw new IllegalArgumentException();
            }
        }

        @Override
        public void close() {}
    }

    @Test
    void chainedConstructorsCountOnce() {
        assertThat(reportsOf(Handle.class, () -> new Handle(1))).containsExactly("constructed Handle");
    }

    @Test
    void anObjectWhoseConstructorThrowsIsNone() {
        assertThat(reportsOf(Handle.class, () -> new Handle("-1"))).containsExactly("caught IllegalArgumentException");
    }

    @Test
    void anObjectWhoseConstructorThrowsAfterThisIsTakenBack() {
        assertThat(reportsOf(Handle.class, () -> new Handle(-1)))
                .containsExactly("constructed Handle", "not constructed Handle", "caught IllegalArgumentException");
    }

    static class Part extends Handle {

        Part(int size) {
            super();
            rejectNegative(size);
        }

        /** The arguments of {@code super} have constructors and branches of their own. */
        @SuppressWarnings("UnnecessaryStringBuilder") // A constructor before that of the superclass.
        Part(@Nullable Object size, boolean isUnknown) {
            super(new StringBuilder(isUnknown ? new String("0") : String.valueOf(size)).toString());
            try {
                rejectNegative(size == null ? -1 : 0);
            } catch (IllegalArgumentException missing) {
                throw new IllegalStateException(missing);
            }
        }
    }

    static class SmallPart extends Part {

        SmallPart(int size) {
            super(0);
            rejectNegative(size);
        }
    }

    @Test
    void anObjectOfASubclassCountsOnce() {
        assertThat(reportsOf(Handle.class, () -> new SmallPart(1))).containsExactly("constructed SmallPart");
    }

    @Test
    void anObjectOfASubclassIsOneAlsoIfBothAreWatched() {
        RecordingWatcher recorder = RecordingWatcher.watching(Part.class, Handle.class);

        assertThat(recorder.reportsOf(() -> new SmallPart(1))).containsExactly("constructed SmallPart");
    }

    @Test
    void anObjectIsTakenBackOnceWhenTheConstructorOfASubclassThrows() {
        assertThat(reportsOf(Handle.class, () -> new SmallPart(-1)))
                .containsExactly(
                        "constructed SmallPart", "not constructed SmallPart", "caught IllegalArgumentException");
    }

    @Test
    void anObjectIsNoneWhenItsSuperclassThrows() {
        assertThat(reportsOf(Handle.class, () -> new Part("-1", false)))
                .containsExactly("caught IllegalArgumentException");
    }

    @Test
    void whatAConstructorCatchesIsItsOwn() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> new Part(null, true)))
                .containsExactly("constructed Part", "not constructed Part", "caught IllegalStateException");
        assertThat(recorder.reportsOf(() -> new Part("1", false))).endsWith("constructed Part");
    }

    static class Pair extends Handle {

        final @Nullable Pair inner;

        Pair(boolean isOuter) {
            inner = isOuter ? new Pair(false) : null;
        }
    }

    @Test
    void anObjectMayConstructOneOfItsOwnClass() {
        assertThat(reportsOf(Pair.class, () -> new Pair(true))).containsExactly("constructed Pair", "constructed Pair");
    }

    @Test
    void anonymousClassesCount() {
        assertThat(reportsOf(Handle.class, () -> new Handle() {})).containsExactly("constructed 1");
    }

    record Point(int x) implements AutoCloseable {

        Point {
            Handle.rejectNegative(x);
        }

        Point() {
            this(-2);
        }

        @Override
        public void close() {}
    }

    @Test
    void recordsCount() {
        RecordingWatcher recorder = RecordingWatcher.watching(Point.class);

        assertThat(recorder.reportsOf(() -> new Point(1).close())).containsExactly("constructed Point", "closed Point");
        assertThat(recorder.reportsOf(Point::new)).endsWith("closed Point", "caught IllegalArgumentException");
    }

    abstract static class Shape implements AutoCloseable {}

    private static final class Circle extends Shape {

        @Override
        public void close() {}
    }

    @Test
    void anAbstractClassStandsForItsSubclasses() {
        assertThat(reportsOf(Shape.class, () -> new Circle().close()))
                .containsExactly("constructed Circle", "closed Circle");
    }

    @Test
    void aFinalAndPrivateClassIsWatchedByName() {
        assertThat(reportsOf(Circle.class, () -> new Circle().close()))
                .containsExactly("constructed Circle", "closed Circle");
    }

    interface Session extends AutoCloseable {

        int id();

        String name();

        @Override
        default void close() {}
    }

    record NumberedSession(int id, String name) implements Session {}

    static class NamedSession implements Session {

        @Override
        public int id() {
            return 0;
        }

        @Override
        public String name() {
            return "";
        }
    }

    static final class ClosedSession extends NamedSession {

        @Override
        public void close() {
            super.close();
        }
    }

    @Test
    void anInterfaceStandsForItsClasses() {
        assertThat(reportsOf(Session.class, () -> {
                    new NumberedSession(1, "").close();
                    new ClosedSession().close();
                }))
                .containsExactly(
                        "constructed NumberedSession",
                        "closed NumberedSession",
                        "constructed ClosedSession",
                        "closed ClosedSession");
    }

    @Test
    void twoWatchersOfOneClassAreIndependent() {
        RecordingWatcher all = RecordingWatcher.watching(Handle.class);
        RecordingWatcher parts = RecordingWatcher.another(Part.class.getName());

        assertThat(parts.reportsOf(() -> {
                    new Handle().close();
                    new Part(1).close();
                }))
                .containsExactly("closed Handle", "constructed Part", "closed Part");
        assertThat(all.reportsOf(() -> {}))
                .containsExactly("constructed Handle", "closed Handle", "constructed Part", "closed Part");
    }
}
