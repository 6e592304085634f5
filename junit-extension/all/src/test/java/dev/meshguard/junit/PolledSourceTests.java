package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.PolledLibrary;
import dev.meshguard.junit.testkit.PolledLibrary.Handle;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A source whose handles report nothing is asked before each look at what is allocated. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class PolledSourceTests implements WithFixtures {
    @Test
    void asksBeforeAndAfterTheSessionIsClosed() {
        assertThat(run(OrderCase.class)).hasOnlySucceeded(1);
        Assertions.assertThat(OrderCase.LIBRARY.calls()).containsExactly("begin", "poll", "close", "poll");
    }

    private static MeshGuardExtension guard(PolledLibrary library) {
        return MeshGuardExtension.builder().source(library.settings()).build();
    }

    static class HandlesTestCase {
        static final PolledLibrary LIBRARY = new PolledLibrary();

        @RegisterExtension
        static final MeshGuardExtension guard = guard(LIBRARY);

        private Handle handle;

        @Test
        void aHandleThatWasClosedIsFreed() {
            LIBRARY.open().close();
        }

        /** It cannot be asked afterwards, so the source holds it until it is asked. */
        @Test
        void aHandleThatWasClosedAndCollectedIsNotLost() {
            LIBRARY.open().close();
            System.gc();
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "HELD: still referenced by HandlesTestCase.handle")
        void aHandleThatTheTestHoldsIsHeld() {
            handle = LIBRARY.open();
        }

        /** The source itself must not hold it while the holders are searched. */
        @Test
        @MustFail(text = "LOST: no handle to it is reachable any more")
        void aHandleThatNobodyElseHoldsIsLost() {
            LIBRARY.open();
        }

        @TestFactory
        @Runs(2)
        @MustFail(invocation = 2, verdict = Outcome.LEAKED)
        Stream<DynamicTest> eachDynamicTestIsAskedForItsOwnHandles() {
            return Stream.of(
                    DynamicTest.dynamicTest("closes", () -> LIBRARY.open().close()),
                    DynamicTest.dynamicTest("leaks", LIBRARY::open));
        }
    }

    @TrackAllocations(grace = "1 s")
    static class ClosedLateTestCase {
        static final PolledLibrary LIBRARY = new PolledLibrary();
        private static final SteppedTimer TIMER = new SteppedTimer();

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(LIBRARY.settings())
                .timer(TIMER)
                .build();

        @Test
        void asksAgainWhileTheCheckWaits() {
            Handle handle = LIBRARY.open();
            TIMER.at(Duration.ofMillis(5), handle::close);
        }
    }

    static class OrderCase {
        static final PolledLibrary LIBRARY = new PolledLibrary();

        @RegisterExtension
        static final MeshGuardExtension guard = guard(LIBRARY);

        @Test
        void allocatesNothing() {}
    }

    static class UnaskableTestCase {
        static final PolledLibrary LIBRARY = new PolledLibrary();

        @RegisterExtension
        static final MeshGuardExtension guard = guard(LIBRARY);

        @Test
        @MustFail(
                verdict = Outcome.INCONCLUSIVE,
                text = "the source \"polled\" could not ask its handles:"
                        + " java.lang.IllegalStateException: the library is gone")
        void aSourceThatCannotAskLeavesTheVerdictOpen() {
            LIBRARY.breakDown();
        }
    }

    /** The handles of tests that go on are neither dropped nor blamed. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedTestCase {
        static final PolledLibrary LIBRARY = new PolledLibrary();
        private static Handle ofAll;

        @RegisterExtension
        static final MeshGuardExtension guard = guard(LIBRARY);

        @BeforeAll
        static void openForAll() {
            ofAll = LIBRARY.open();
        }

        @Test
        void closes() {
            LIBRARY.open().close();
        }

        @MustLeak
        void eachTestOnASharedSessionIsAskedForItsOwnHandles() {
            LIBRARY.open();
        }

        @AfterAll
        static void closeForAll() {
            ofAll.close();
        }
    }
}
