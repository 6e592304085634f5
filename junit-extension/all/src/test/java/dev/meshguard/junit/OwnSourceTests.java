package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.PolledLibrary;
import dev.meshguard.junit.testkit.PolledLibrary.Handle;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;

/**
 * A source of one's own: each of its sessions sees the memory of one test, beside those of other sources, and is asked about handles
 * that report nothing before each look at what is allocated.
 */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class OwnSourceTests implements WithFixtures {

    @Test
    void aSessionThatDoesNotGiveWhatItsSourceNamesSaysSo() {
        SourceSession session = () -> {};

        assertThatThrownBy(() -> session.resolve(StringBuilder.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("gives no java.lang.StringBuilder, which its source names as a parameter");
    }

    // Several sources

    /** A source may use what began before it, and one that cannot be closed must not keep another open. */
    @Test
    void closesAllSessionsInReverseOrderEvenIfOneThrows() {
        ClosedCase.CLOSED.get().clear();

        Throwable failure = run(ClosedCase.class).events().testEvents().failed().stream()
                .flatMap(failed -> failed.getPayload(TestExecutionResult.class).stream())
                .flatMap(result -> result.getThrowable().stream())
                .findFirst()
                .orElseThrow();

        Assertions.assertThat(ClosedCase.CLOSED.get()).containsExactly("third", "second", "first");
        // JUnit wraps what closing a store throws.
        Assertions.assertThat(failure)
                .rootCause()
                .hasMessage("third cannot be closed")
                .satisfies(root -> Assertions.assertThat(root.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("first cannot be closed"));
    }

    @Test
    void rejectsTheSettingsOfOneSourceTwice() {
        MeshGuardExtension.Builder builder = MeshGuardExtension.builder();
        SourceSettings mesh = FakeMeshSource.builder().build();

        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> builder.source(mesh, mesh))
                .withMessage("MeshGuardExtension: the source \"mesh\" twice is rejected. Give its settings once.");
    }

    @Test
    void testsWithTheSameSettingsMayShareASession() {
        SourceSettings ofParameter = ofParameter(new FixtureSource("one"));

        Assertions.assertThat(ofParameter)
                .isEqualTo(ofParameter(new FixtureSource("other")))
                .hasSameHashCodeAs(ofParameter(new FixtureSource("other")))
                .isNotEqualTo(ofParameter(new FakeMeshSource()))
                .isNotEqualTo(SourceSettings.withoutOptions(new FixtureSource("one"), OwnSourceTests::session));
    }

    private static SourceSettings ofParameter(AllocationSource source) {
        return SourceSettings.ofParameter(source, context -> session(context));
    }

    private static SourceSession session(SourceContext context) {
        throw new IllegalStateException("no session is begun here");
    }

    /** Returns the settings of a library that leaks a lease with a label in each session, if one is given. */
    private static SourceSettings library(AllocationSource source, Optional<String> leak, Runnable closing) {
        return SourceSettings.withoutOptions(source, context -> {
            context.tracker().sourceAttached(source.id());
            leak.ifPresent(label -> context.tracker()
                    .lease(
                            AllocationDetails.user().labelled(label),
                            OriginFilter.none(),
                            BufferType.SYSTEM_MEMORY,
                            64));
            return closing::run;
        });
    }

    static class LeakBesideMeshTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(
                        FakeMeshSource.builder().mesh(1, 1).build(),
                        library(new FixtureSource("library"), Optional.of("of the library"), () -> {}))
                .build();

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "64 B in 1 SYSTEM_MEMORY buffer")
        void freesItsBuffer(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class ClosedCase {

        /** A run executes its tests on the thread of its caller. */
        static final ThreadLocal<List<String>> CLOSED = ThreadLocal.withInitial(ArrayList::new);

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(logging("first", false), logging("second", true), logging("third", false))
                .build();

        private static SourceSettings logging(String id, boolean isClosable) {
            return library(new FixtureSource(id), Optional.empty(), () -> {
                CLOSED.get().add(id);
                if (!isClosable) {
                    throw new IllegalStateException(id + " cannot be closed");
                }
            });
        }

        @Test
        void allocatesNothing() {}
    }

    // An additional source, whose annotation takes no other source from a test

    /** Selects a source that leaks a buffer in each session. */
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @ExtendWith(MeshGuardExtension.class)
    @interface TrackLeak {

        /** Returns the label of the buffer. */
        String value();
    }

    /** The source of {@link TrackLeak}. */
    public static final class LeakSource extends FixtureSource implements AnnotatedSource<TrackLeak> {

        public LeakSource() {
            super("leak");
        }

        @Override
        public Class<TrackLeak> annotation() {
            return TrackLeak.class;
        }

        @Override
        public boolean isAdditional() {
            return true;
        }

        @Override
        public SourceSettings settings(TrackLeak annotation, String location) {
            return library(this, Optional.of(annotation.value()), () -> {});
        }
    }

    @TrackLeak("class")
    @FakeMesh(rows = 1, columns = 1)
    static class AdditionalBesideAnnotationTestCase {
        @Test
        @MustFail(text = {"label \"class\"", "DRAM 4 KiB on device 0", "2 allocated = 0 freed + 2 leaked"})
        void additionalSourcesAreExaminedBesideTheSourceOfAnAnnotation(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackLeak("class")
    static class NearestTestCase {
        @Test
        @MustFail(text = "label \"class\"")
        void theAnnotationOfTheClassCounts() {}

        @Test
        @TrackLeak("method")
        @MustFail(text = {"label \"method\"", "1 allocated = 0 freed + 1 leaked"})
        void theNearestAnnotationCounts() {}

        @Nested
        class Inner {
            @Test
            @MustFail(text = "label \"class\"")
            void theAnnotationOfTheClassAroundCounts() {}
        }
    }

    // A source whose handles report nothing

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
    static class HandleClosedLateTestCase {
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

        @AfterAll
        static void endsTheWaitThen() {
            Assertions.assertThat(TIMER.now()).isLessThan(Duration.ofSeconds(1));
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
    static class SharedHandlesTestCase {
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
