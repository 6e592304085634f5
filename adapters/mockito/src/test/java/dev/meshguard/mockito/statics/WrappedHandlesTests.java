package dev.meshguard.mockito.statics;

import static dev.meshguard.mockito.statics.StaticFactoryRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** The code under test gets a wrapper of an interface's handle, so that its close is seen. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class WrappedHandlesTests {

    private static final StaticFactory<Session> SESSIONS =
            StaticFactory.of(Session.class).closedBy(Session::close).size(session -> 512);

    @Test
    void thatAreClosedAreNoLeak() {
        assertThat(failuresOf(ClosedTestCase.class)).isEmpty();
    }

    @Test
    void thatAreOpenAreLeaksOfTheFieldThatHoldsThem() {
        assertThat(failuresOf(HeldTestCase.class))
                .singleElement()
                .asString()
                .contains(
                        "LEAK  512 B of native memory in 1 handle, HELD",
                        "label \"Session\"",
                        "at dev.meshguard.mockito.statics.WrappedHandlesTests$HeldTestCase.opens(",
                        "why   HELD: still referenced by HeldTestCase.session");
    }

    @Test
    void thatNobodyHoldsAreLost() {
        assertThat(failuresOf(DroppedTestCase.class))
                .singleElement()
                .asString()
                .contains("LOST: no handle to it is reachable any more");
    }

    @Test
    void whoseCloseThrowsAreAllocatedAndTheErrorIsEvidence() {
        assertThat(failuresOf(FailedCloseTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  512 B of native memory in 1 handle")
                .containsPattern("a call that should close it failed at event #\\d+ with"
                        + " java.lang.IllegalStateException: the\\s+session is in use, at")
                .contains("WrappedHandlesTests$FailedCloseTestCase.tearDown(WrappedHandlesTests.java:");
    }

    @Test
    void thatAreClosedInTheEndAreNoLeak() {
        assertThat(failuresOf(ClosedInTheEndTestCase.class)).isEmpty();
    }

    @Test
    void answerAsTheHandlesDo() {
        assertThat(failuresOf(AnsweringTestCase.class)).isEmpty();
    }

    @Test
    void areTheSameAsLongAsTheHandleIsOpen() {
        assertThat(failuresOf(PooledTestCase.class))
                .singleElement()
                .asString()
                .contains("sum     2 allocated = 1 freed + 1 leaked");
    }

    @Test
    void thatWereDroppedAreNotLostIfTheFactoryReturnsTheHandleAgain() {
        assertThat(failuresOf(DroppedOnceTestCase.class)).isEmpty();
    }

    @Test
    void areNotWrappedAgainIfAFactoryReturnsItsArgument() {
        assertThat(failuresOf(ArgumentTestCase.class)).isEmpty();
    }

    @Test
    void areMadeOfInterfacesOnly() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticFactory.of(StaticTensor.class).closedBy(StaticTensor::close))
                .withMessage("Cannot see the close of a StaticTensor: it cannot be wrapped, because it is no interface."
                        + " Ask it with closedWhen(…).");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticFactory.of(Region.class).closedBy(Region::close))
                .withMessage("Cannot see the close of a Region: it cannot be wrapped, because it is a sealed interface."
                        + " Ask it with closedWhen(…).");
    }

    @Test
    void needOneMethodThatCloses() {
        String message = "Cannot see which method closes a Session. Call that method of the handle, and no other:"
                + " closedBy(handle -> handle.close()).";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticFactory.of(Session.class).closedBy(session -> {}))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticFactory.of(Session.class).closedBy(session -> {
                    session.leave();
                    session.close();
                }))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticFactory.of(Session.class).closedBy(session -> {
                    throw new Exception("no session");
                }))
                .withMessage(message)
                .withStackTraceContaining("no session");
    }

    private sealed interface Region extends AutoCloseable {}

    @SuppressWarnings("UnusedNestedClass") // A sealed interface needs a permitted class.
    private record OnlyRegion() implements Region {
        @Override
        public void close() {}
    }

    @TrackAllocations
    static class ClosedTestCase {

        @Test
        void closes(StaticFactories factories) {
            factories.track(SESSIONS);

            Session.open().close();
        }

        @Test
        void closesAsACloseable(StaticFactories factories) throws Exception {
            factories.track(SESSIONS);

            try (AutoCloseable session = Session.open()) {
                assertThat(session).isInstanceOf(Session.class);
            }
        }

        @Test
        void closesOnAnotherThread(StaticFactories factories) throws InterruptedException {
            factories.track(SESSIONS);
            Session session = Session.open();

            Thread other = new Thread(session::close);
            other.start();
            other.join();
        }

        @Test
        void closesTwice(StaticFactories factories, AllocationTracker tracker) {
            factories.track(SESSIONS);
            Session session = Session.open();

            session.close();

            assertThatThrownBy(session::close).hasMessage("the session is closed");
            assertThat(tracker.history().events(HistoryEvent.FreeIgnored.class)).isEmpty();
        }

        @Test
        void closesTwiceWithoutAnError(StaticFactories factories) throws Exception {
            factories.track(StaticFactory.of(Shared.class)
                    .returning(AutoCloseable.class)
                    .closedBy(AutoCloseable::close));
            AutoCloseable slot = Shared.get();

            slot.close();
            slot.close();
        }
    }

    @TrackAllocations
    static class HeldTestCase {

        private Session session;

        @Test
        void opens(StaticFactories factories) {
            factories.track(SESSIONS);

            session = Session.open();
        }
    }

    @TrackAllocations
    static class DroppedTestCase {

        @Test
        void drops(StaticFactories factories) {
            factories.track(SESSIONS);

            Session.open();
        }
    }

    @TrackAllocations
    static class FailedCloseTestCase {

        private Session session;

        @Test
        void closesWhileItIsUsed(StaticFactories factories) {
            factories.track(SESSIONS);
            session = Session.open().use();

            assertThatThrownBy(this::tearDown).hasMessage("the session is in use");
        }

        private void tearDown() {
            session.close();
        }
    }

    @TrackAllocations
    static class ClosedInTheEndTestCase {

        @Test
        void closesAfterItWasUsed(StaticFactories factories) {
            factories.track(SESSIONS);
            Session session = Session.open().use();

            assertThatThrownBy(session::close).hasMessage("the session is in use");
            session.leave();
            session.close();
        }
    }

    @TrackAllocations
    static class AnsweringTestCase {

        @Test
        void answers(StaticFactories factories) {
            factories.track(SESSIONS);

            try (Session session = Session.open()) {
                assertThat(session.run(3)).isEqualTo(3);
                assertThatThrownBy(() -> session.run(-1))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("steps -1");
                assertThat(session.use()).isSameAs(session);
                session.leave();
            }
        }
    }

    /** A library that keeps one handle. */
    private static final class Shared {

        @SuppressWarnings("UnnecessaryLambda") // It is one object.
        private static final AutoCloseable ONLY = () -> {};

        static AutoCloseable get() {
            return ONLY;
        }
    }

    @TrackAllocations
    static class PooledTestCase {

        @Test
        void getsItAgain(StaticFactories factories) throws Exception {
            factories.track(StaticFactory.of(Shared.class)
                    .returning(AutoCloseable.class)
                    .closedBy(AutoCloseable::close));
            AutoCloseable first = Shared.get();

            assertThat(Shared.get()).isSameAs(first);
            first.close();
            assertThat(Shared.get()).isNotSameAs(first);
        }
    }

    @TrackAllocations
    static class DroppedOnceTestCase {

        @Test
        void dropsItOnce(StaticFactories factories) throws Exception {
            factories.track(StaticFactory.of(Shared.class)
                    .returning(AutoCloseable.class)
                    .closedBy(AutoCloseable::close));
            Shared.get();
            System.gc();

            Shared.get().close();
        }
    }

    @TrackAllocations
    static class ArgumentTestCase {

        @Test
        void getsItBack(StaticFactories factories) {
            factories.track(SESSIONS);
            Session session = Session.open();

            assertThat(Session.reused(session)).isSameAs(session);
            session.close();
        }
    }
}
