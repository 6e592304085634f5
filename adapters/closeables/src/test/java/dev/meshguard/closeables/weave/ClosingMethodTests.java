package dev.meshguard.closeables.weave;

import static dev.meshguard.closeables.weave.RecordingWatcher.reportsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(reportsOf(Handle.class, () -> new Handle().close()))
                .containsExactly("constructed Handle", "closed Handle");
    }

    @Test
    void eachCloseIsReported() {
        assertThat(reportsOf(Handle.class, () -> {
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

    @Test
    void anIdleWatcherIsAskedOnce() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> {
                    recorder.idle(true);
                    Handle handle = new Handle();
                    recorder.runOutOfMemory(true);
                    handle.close();
                    recorder.runOutOfMemory(false);
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

    static class Working extends Handle {

        private final Runnable work;

        Working(Runnable work) {
            this.work = work;
        }

        @Override
        public void close() {
            work.run();
        }
    }

    @Test
    void aCloseWhoseEndCannotBeReportedIsLostAndHidesNoLaterOne() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        AtomicBoolean isFull = new AtomicBoolean(true);

        assertThat(recorder.reportsOf(() -> {
                    Handle handle = new Working(() -> recorder.runOutOfMemory(isFull.getAndSet(false)));
                    handle.close();
                    recorder.runOutOfMemory(false);
                    recorder.idle(true);
                    new Handle();
                    recorder.idle(false);
                    handle.close();
                }))
                .containsExactly("constructed Working", "lost Working: none left", "closed Working");
    }

    @Test
    void aCloseWhoseBeginCannotBeReportedIsLostAndKeepsNoWatcherAwake() {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);

        assertThat(recorder.reportsOf(() -> {
                    Handle handle = new Handle();
                    recorder.runOutOfMemoryIn("begun");
                    handle.close();
                    recorder.runOutOfMemoryIn(null);
                    recorder.idle(true);
                    new Handle();
                    recorder.idle(false);
                }))
                .containsExactly("constructed Handle", "lost Handle: none left");
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
        assertThat(reportsOf(Handle.class, () -> new Chained(false, false).close()))
                .containsExactly("constructed Chained", "closed Chained");
    }

    @Test
    void aThrowBeforeSuperIsNoClose() {
        assertThat(reportsOf(Handle.class, () -> new Chained(true, false).close()))
                .containsExactly("constructed Chained", "not closed Chained: before", "caught IllegalStateException");
    }

    @Test
    void aThrowAfterSuperIsNoClose() {
        assertThat(reportsOf(Handle.class, () -> new Chained(false, true).close()))
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
        assertThat(reportsOf(Handle.class, () -> new Tolerant().close()))
                .containsExactly("constructed Tolerant", "closed Tolerant");
    }

    static class Rotating extends Handle {

        Rotating() {
            super.close();
        }

        void rotate() {
            super.close();
            trim();
        }

        void trim() {}

        @Override
        public void close() {
            super.close();
        }
    }

    static class Trimming extends Rotating {

        @Override
        void trim() {
            close();
        }
    }

    @Test
    void aMethodThatTheClassOverridesIsNoClose() {
        RecordingWatcher recorder = RecordingWatcher.watching(Rotating.class);

        assertThat(recorder.reportsOf(() -> new Rotating().rotate())).containsExactly("constructed Rotating");
        assertThat(recorder.reportsOf(() -> new Trimming().rotate()))
                .endsWith("constructed Trimming", "not closed Trimming: closed thrice", "caught IllegalStateException");
    }

    static class Keeper {

        final void keep() {
            close();
        }

        private void close() {}
    }

    static class ClosableKeeper extends Keeper implements AutoCloseable {

        @Override
        public void close() {}
    }

    @Test
    void aPrivateMethodIsNoCloseBesideOneThatCanBeCalled() {
        assertThat(reportsOf(Keeper.class, () -> {
                    ClosableKeeper keeper = new ClosableKeeper();
                    keeper.keep();
                    keeper.close();
                    new Keeper().keep();
                }))
                .containsExactly(
                        "constructed ClosableKeeper", "closed ClosableKeeper", "constructed Keeper", "closed Keeper");
    }

    public static class Guarded {

        public final void shut() {
            close();
        }

        void close() {}
    }

    static class Overriding extends Guarded {

        @Override
        void close() {
            super.close();
        }
    }

    /** The JVM does not override it, although the names are the same. */
    @ParameterizedTest
    @ValueSource(strings = {"dev.example.Foreign", "dev.meshguard.closeables.weave.OfAnotherLoader"})
    void aMethodOfItsPackageIsACloseBesideOneOfAnotherPackageOrLoader(String name) throws Exception {
        RecordingWatcher recorder = RecordingWatcher.watching(Guarded.class);
        Constructor<? extends Guarded> foreign = new ByteBuddy()
                .subclass(Guarded.class)
                .name(name)
                .defineMethod("close", void.class, Modifier.PUBLIC)
                .intercept(StubMethod.INSTANCE)
                .make()
                .load(Guarded.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded()
                .getConstructor();

        assertThat(recorder.reportsOf(() -> {
                    foreign.newInstance().shut();
                    new Overriding().shut();
                }))
                .hasSize(4)
                .satisfies(reports -> assertThat(reports.get(1)).startsWith("closed "))
                .endsWith("constructed Overriding", "closed Overriding");
    }

    interface Ending<T> {

        T end();
    }

    static class Job implements Ending<Object> {

        @Override
        public Object end() {
            return "";
        }
    }

    static class TextJob extends Job {

        @Override
        public String end() {
            return "";
        }
    }

    @Test
    void aCallThroughABridgeIsAClose() {
        RecordingWatcher recorder = RecordingWatcher.watching(Set.of("end"), Job.class.getName());
        Job job = new TextJob();

        assertThat(recorder.reportsOf(job::end))
                .containsExactly("constructed TextJob", "closed TextJob within [end]", "closed TextJob");
    }

    static class Releasing {

        void close() {
            release();
            throw new IllegalStateException("released");
        }

        void release() {}
    }

    @Test
    void aMethodReportsTheOneThatCallsIt() {
        RecordingWatcher recorder = RecordingWatcher.watching(Set.of("close", "release"), Releasing.class.getName());

        assertThat(recorder.reportsOf(() -> new Releasing().close()))
                .containsExactly(
                        "constructed Releasing",
                        "closed Releasing within [close]",
                        "not closed Releasing: released",
                        "caught IllegalStateException");
    }

    static class Meter implements AutoCloseable {

        @Override
        public void close() {}
    }

    static class TimedMeter extends Meter {

        void end() {}
    }

    @Test
    void aMethodThatClosesAnotherTypeOnlyIsNotAwaited() {
        RecordingWatcher.watching(Set.of("end"), Job.class.getName());

        assertThat(reportsOf(Meter.class, () -> new TimedMeter().close()))
                .containsExactly("constructed TimedMeter", "closed TimedMeter");
    }

    /** Libraries have methods for others that need not be there, such as one for metrics. */
    @Test
    void aTypeThatIsMissingInTheSignatureOfAnotherMethodIsNoMatterOfTheClose() throws Exception {
        TypeDescription missing = InstrumentedType.Default.of(
                "dev.example.Missing",
                TypeDescription.ForLoadedType.of(Object.class).asGenericType(),
                Modifier.PUBLIC);
        byte[] file = new ByteBuddy()
                .subclass(Meter.class)
                .name(ClosingMethodTests.class.getPackageName() + ".Metered")
                .defineMethod("report", void.class, Modifier.PUBLIC)
                .withParameters(missing)
                .intercept(StubMethod.INSTANCE)
                .make()
                .getBytes();
        RecordingWatcher recorder = RecordingWatcher.watching(Meter.class);
        Constructor<?> metered = MethodHandles.lookup().defineClass(file).getDeclaredConstructor();

        assertThat(recorder.reportsOf(() -> {
                    Meter handle = (Meter) metered.newInstance();
                    handle.close();
                }))
                .containsExactly("constructed Metered", "closed Metered");
        assertThat(recorder.unseen()).isEmpty();
    }

    private static Class<?> hidden(Class<?> type) throws Exception {
        try (InputStream file = type.getResourceAsStream(type.getName().replaceFirst(".*\\.", "") + ".class")) {
            return MethodHandles.lookup()
                    .defineHiddenClass(Objects.requireNonNull(file).readAllBytes(), false)
                    .lookupClass();
        }
    }

    static class Plain extends Handle {}

    @Test
    void objectsOfAHiddenClassThatOverridesTheMethodAreNotReportedAsOpen() throws Exception {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);
        Constructor<?> plain = hidden(Plain.class).getDeclaredConstructor();
        Constructor<?> overriding = hidden(Tolerant.class).getDeclaredConstructor();

        assertThat(recorder.reportsOf(() -> ((Handle) plain.newInstance()).close()))
                .hasSize(2);
        assertThat(recorder.reportsOf(overriding::newInstance))
                .hasSize(3)
                .last(STRING)
                .startsWith("unheard Tolerant")
                .endsWith(": {close=It is hidden, so that no code can be added to it}");
    }

    static class Plug implements AutoCloseable {

        @Override
        public void close() {}
    }

    static class Native extends Plug {

        @Override
        public native void close();
    }

    static class Wrapping extends Native {

        @Override
        public void close() {}
    }

    @Test
    void objectsThatANativeMethodClosesAreNotReportedAsOpen() {
        RecordingWatcher recorder = RecordingWatcher.watching(Plug.class);

        assertThat(recorder.reportsOf(() -> {
                    new Wrapping().close();
                    new Native();
                }))
                .containsExactly(
                        "constructed Wrapping",
                        "closed Wrapping",
                        "unheard Native: {close=Its closing method is native, so that no code can be added to it}");
        assertThat(recorder.unseen()).isEmpty();
    }

    static class Disposable extends Handle {

        void dispose() {}
    }

    @Test
    void aHiddenMethodThatClosesAnotherTypeOnlyHidesNoObject() throws Exception {
        RecordingWatcher recorder = RecordingWatcher.watching(Handle.class);
        Weaver.watch(List.of(new WatchedType(Model.class.getName(), Set.of("dispose"))), recorder);
        Constructor<?> disposable = hidden(Disposable.class).getDeclaredConstructor();

        assertThat(recorder.reportsOf(() -> ((Handle) disposable.newInstance()).close()))
                .hasSize(2);
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
        assertThat(reportsOf(Handle.class, () -> new Outer().close()))
                .containsExactly("constructed Outer", "constructed Handle", "closed Handle", "closed Outer");
    }

    /** They have their closing method from the same class, so their closes are reported too. */
    @Test
    void objectsBesideTheWatchedOnesAreNotConstructed() {
        assertThat(reportsOf(Handle.class, () -> new Unwatched().close())).containsExactly("closed Unwatched");
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
        assertThat(reportsOf(Stream.class, () -> new FlushedStream().close()))
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

    static class Copier {

        void finish() {}

        void dispose() {}
    }

    @Test
    void closingMethodsAreAddedToThoseOfAnEarlierRequest() {
        RecordingWatcher.watching(Set.of("finish"), Copier.class.getName());
        RecordingWatcher recorder = RecordingWatcher.watching(Set.of("dispose"), Copier.class.getName());

        assertThat(recorder.reportsOf(() -> new Copier().dispose()))
                .containsExactly("constructed Copier", "closed Copier");
    }
}
