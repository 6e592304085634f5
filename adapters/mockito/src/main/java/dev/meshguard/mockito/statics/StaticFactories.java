package dev.meshguard.mockito.statics;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.handle.EndOfPath;
import dev.meshguard.junit.source.PolledHandles;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.mockito.MockedStatic;
import org.mockito.Mockito;

/**
 * Tracks the handles that the code under test gets from static factories; a parameter of a test with
 * {@link dev.meshguard.junit.TrackAllocations}.
 *
 * <pre>{@code
 * @TrackAllocations
 * class ModelTest {
 *     @BeforeEach
 *     void trackTensors(StaticFactories factories) {
 *         factories.track(StaticFactory.of(NativeTensor.class).closedWhen(NativeTensor::isClosed));
 *     }
 *
 *     @Test
 *     void closesItsTensors() {
 *         new Model().infer();
 *     }
 * }
 * }</pre>
 *
 * <p>All static methods of the class do what they do without it. Mockito intercepts the calls of the thread that calls
 * {@link #track}, and of no other: a handle that another thread gets is not tracked. Reports mention this in a note. The calls
 * are intercepted until the session of the test is closed, also if the test throws.
 *
 * <p>A factory that calls another factory of its class counts once. A handle that a factory returns again counts once until it
 * is closed.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@EndOfPath
public final class StaticFactories {

    private static final SourceVocabulary WORDS =
            SourceVocabulary.of("native memory").countedIn("handle").freedBy("close", "closed");

    private final AllocationTracker tracker;
    private final String test;
    private final PolledHandles polled;
    /** Its monitor guards both fields. */
    private final List<Interception> open = new ArrayList<>();

    private boolean isOver;

    StaticFactories(AllocationTracker tracker, String test) {
        this.tracker = tracker;
        this.test = test;
        this.polled = PolledHandles.reportingTo(tracker);
    }

    /** The static calls of a class on one thread. */
    private record Interception(Class<?> type, long thread, MockedStatic<?> calls) {

        boolean isOf(Class<?> other) {
            return type == other && thread == Thread.currentThread().getId();
        }
    }

    /**
     * Tracks what this thread gets from a factory from now on. Replaces what was said about the same class on this thread before.
     *
     * @return ends it before the test ends; needed only if a session outlasts the test
     * @throws IllegalArgumentException if the class has no such factory, or nothing says when a handle is closed
     * @throws IllegalStateException if the test of these factories is over
     * @throws org.mockito.exceptions.base.MockitoException if Mockito cannot intercept the class, for example because the test
     *     does so itself
     */
    public Scope track(StaticFactory<?> factory) {
        factory.check();
        synchronized (open) {
            if (isOver) {
                throw new IllegalStateException(
                        "Cannot track " + factory.name() + ": these StaticFactories belonged to " + test
                                + ", which is over and was checked. Ask for StaticFactories where you use them.");
            }
            open.stream().filter(known -> known.isOf(factory.type())).toList().forEach(this::end);
            Interception interception =
                    new Interception(factory.type(), Thread.currentThread().getId(), intercept(factory));
            open.add(interception);
            tracker.sourceAttached(description(factory));
            return () -> end(interception);
        }
    }

    /** Stubs only: a mock that remembers its calls would hold the handles among their arguments. */
    private MockedStatic<?> intercept(StaticFactory<?> factory) {
        return Mockito.mockStatic(
                factory.type(),
                Mockito.withSettings().stubOnly().defaultAnswer(new FactoryAnswer<>(factory, tracker, polled)));
    }

    private static SourceDescription description(StaticFactory<?> factory) {
        SourceDescription covered = SourceDescription.of(StaticFactoriesSource.ID)
                .covering(String.format(
                        Locale.ROOT,
                        "calls of %s by thread \"%s\"",
                        factory.name(),
                        Thread.currentThread().getName()))
                .speaking(WORDS);
        return factory.isClosed().isPresent() ? covered.inferringFrees() : covered;
    }

    private void end(Interception interception) {
        synchronized (open) {
            if (open.remove(interception)) {
                close(interception.calls());
            }
        }
    }

    /** Ends an interception. Mockito remembers the last call of a thread, which may have handles among its arguments. */
    private static void close(MockedStatic<?> calls) {
        try {
            calls.reset();
        } finally {
            calls.close();
        }
    }

    /** Returns the handles that must be asked. */
    PolledHandles polled() {
        return polled;
    }

    /** Ends all interceptions, and rejects further ones: nothing would check their handles. */
    void close() {
        synchronized (open) {
            isOver = true;
            List.copyOf(open).forEach(this::end);
        }
    }
}
