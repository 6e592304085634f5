package dev.meshguard.mockito.statics;

import static dev.meshguard.mockito.statics.StaticFactoryRun.failuresOf;
import static dev.meshguard.mockito.statics.StaticFactoryRun.run;
import static dev.meshguard.mockito.statics.StaticFactoryRun.runConcurrently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.MockedStatic;
import org.mockito.Mockito;
import org.mockito.exceptions.base.MockitoException;
import org.mockito.exceptions.misusing.UnfinishedStubbingException;

/** Calls of static factories are intercepted on one thread, until the test is over. */
class InterceptedCallsTests {

    private static final long SEED = 4_000;

    private static final StaticFactory<StaticTensor> TENSORS = StaticFactory.of(StaticTensor.class)
            .closedWhen(StaticTensor::isClosed)
            .size(StaticTensor::bytes);

    @Test
    void endWithTheTest() {
        assertThat(failuresOf(TrackingTestCase.class, NextTestCase.class)).isEmpty();
    }

    @Test
    void endWithATestThatThrows() {
        assertThat(failuresOf(ThrowingTestCase.class, NextTestCase.class)).containsExactly("the model is gone");
    }

    @Test
    void endWithATestThatLeaks() {
        assertThat(failuresOf(LeakingTestCase.class, NextTestCase.class))
                .singleElement()
                .asString()
                .startsWith("LEAK  ");
    }

    @Test
    void endWithATestOnAThreadOfItsOwn() {
        assertThat(failuresOf(OwnThreadTestCase.class, NextTestCase.class))
                .singleElement()
                .asString()
                .startsWith("LEAK  64 B of native memory in 1 handle");
    }

    @Test
    void endWithTheScope() {
        assertThat(failuresOf(ScopeTestCase.class)).isEmpty();
    }

    @Test
    void areThoseOfOneThreadAndTheSourceSaysSo() {
        assertThat(failuresOf(OtherThreadTestCase.class)).isEmpty();
    }

    @Test
    void aNoteOfAFailureNamesTheThread() {
        assertThat(failuresOf(LeakingTestCase.class))
                .singleElement()
                .asString()
                .contains("note    the source static factories covers calls of StaticTensor by thread \""
                        + Thread.currentThread().getName() + "\"; nothing else is reported through it");
    }

    @Test
    void areSaidAnewByALaterCall() {
        assertThat(failuresOf(AnewTestCase.class)).isEmpty();
    }

    @Test
    void mayBeSaidForEachTestOfASharedSession() {
        assertThat(run(SharedTestCase.class).testEvents().failed().stream()
                        .map(event -> event.getTestDescriptor().getDisplayName()))
                .containsExactly("leaks(StaticFactories)");
    }

    @Test
    void blameTheTestsThatLeakIfSeveralRunAtATime() {
        System.out.println("mockito: concurrent tests from seed " + Long.getLong("meshguard.seed", SEED));

        Set<Integer> blamed = runConcurrently(ConcurrentTestCase.class).testEvents().failed().stream()
                .map(event -> event.getTestDescriptor().getDisplayName().replaceAll("\\D*(\\d+)\\D.*", "$1"))
                .map(index -> Integer.parseInt(index) - 1)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(blamed).isEqualTo(ConcurrentTestCase.leaking());
    }

    @Test
    void areMissingIfTheTestNamesNoFactory() {
        assertThat(failuresOf(NoFactoryTestCase.class))
                .singleElement()
                .asString()
                .startsWith("INCONCLUSIVE  ");
    }

    @Test
    void areRejectedIfTheTestInterceptsThemItself() {
        assertThat(failuresOf(OwnMockTestCase.class)).isEmpty();
    }

    @Test
    void areCallsOfAMock() {
        assertThat(failuresOf(StubbingTestCase.class)).isEmpty();
    }

    @Test
    void areRejectedAfterTheTest() {
        StaticFactories factories = new StaticFactories(AllocationTracker.create(), "ModelTest#infers");
        factories.close();
        factories.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> factories.track(TENSORS))
                .withMessage(
                        "Cannot track StaticTensor: these StaticFactories belonged to ModelTest#infers, which is over"
                                + " and was checked. Ask for StaticFactories where you use them.");
    }

    @Test
    void areRejectedIfNothingSaysWhenAHandleIsClosed() {
        StaticFactories factories = new StaticFactories(AllocationTracker.create(), "ModelTest#infers");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> factories.track(StaticFactory.of(StaticTensor.class)))
                .withMessage(
                        "Cannot track StaticTensor: nothing says when a StaticTensor is closed. Add closedWhen(…) or"
                                + " closedBy(…).");
    }

    @Test
    void areRejectedIfTheClassHasNoFactory() {
        StaticFactories factories = new StaticFactories(AllocationTracker.create(), "ModelTest#infers");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> factories.track(StaticFactory.of(StaticTensor.class)
                        .returning(Session.class)
                        .closedBy(Session::close)))
                .withMessage(
                        "Cannot track StaticTensor: none of its static methods returns a Session. Name the class with"
                                + " the factories in of(…), and what they return in returning(…).");
    }

    @Test
    void areRejectedIfAFactoryIsUnknown() {
        StaticFactories factories = new StaticFactories(AllocationTracker.create(), "ModelTest#infers");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> factories.track(TENSORS.methods("alocate")))
                .withMessage("Cannot track StaticTensor: no static method alocate returns a StaticTensor. Name one of"
                        + " allocate, copyOfOnes, ifPresent, requireOpen.");
    }

    @TrackAllocations
    static class TrackingTestCase {

        @Test
        void closes(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.allocate(64).close();
        }
    }

    @TrackAllocations
    static class LeakingTestCase {

        @Test
        void leaks(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.allocate(64);
        }
    }

    @TrackAllocations
    static class ThrowingTestCase {

        @Test
        void fails(StaticFactories factories) {
            factories.track(TENSORS);

            throw new IllegalStateException("the model is gone");
        }
    }

    /** The method of the test runs on another thread than the check. */
    @TrackAllocations
    static class OwnThreadTestCase {

        @Test
        @Timeout(value = 1, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void leaks(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.allocate(64);
        }
    }

    /** Mockito rejects a class that is intercepted already. */
    static class NextTestCase {

        @Test
        void interceptsItself() {
            try (MockedStatic<StaticTensor> own = Mockito.mockStatic(StaticTensor.class)) {
                assertThat(StaticTensor.allocate(64)).isNull();
            }
        }
    }

    @TrackAllocations
    static class ScopeTestCase {

        @Test
        void tracksAPart(StaticFactories factories, AllocationTracker tracker) {
            try (Scope scope = factories.track(TENSORS)) {
                StaticTensor.allocate(64).close();
                scope.close();
                StaticTensor.allocate(64);
            }

            assertThat(tracker.liveBuffers()).isOne();
        }
    }

    @TrackAllocations
    static class OtherThreadTestCase {

        @Test
        void leaksOnAnotherThread(StaticFactories factories, AllocationTracker tracker) throws InterruptedException {
            factories.track(TENSORS);

            Thread other = new Thread(() -> StaticTensor.allocate(64), "other");
            other.start();
            other.join();

            assertThat(tracker.liveBuffers()).isZero();
            assertThat(tracker.history().sources())
                    .extracting(SourceDescription::covers)
                    .containsExactly(Optional.of("calls of StaticTensor by thread \""
                            + Thread.currentThread().getName() + "\""));
        }
    }

    @TrackAllocations
    static class AnewTestCase {

        @BeforeEach
        void track(StaticFactories factories) {
            factories.track(TENSORS);
        }

        @Test
        void knowsBetterWhatIsClosed(StaticFactories factories) {
            factories.track(TENSORS.closedWhen(tensor -> true));

            StaticTensor.allocate(64);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedTestCase {

        @BeforeEach
        void track(StaticFactories factories) {
            factories.track(TENSORS);
        }

        @Test
        void closes(StaticFactories factories) {
            StaticTensor.allocate(64).close();
        }

        @Test
        void leaks(StaticFactories factories) {
            StaticTensor.allocate(64);
        }
    }

    @TrackAllocations
    static class ConcurrentTestCase {

        static Set<Integer> leaking() {
            Random random = new Random(Long.getLong("meshguard.seed", SEED));
            return tests().filter(test -> random.nextInt(4) == 0).collect(Collectors.toCollection(TreeSet::new));
        }

        static Stream<Integer> tests() {
            return IntStream.range(0, 40).boxed();
        }

        @ParameterizedTest
        @MethodSource("tests")
        void allocates(int test, StaticFactories factories) {
            factories.track(TENSORS);

            for (int i = 0; i < 10; i++) {
                StaticTensor tensor = StaticTensor.allocate(64);
                if (i > 0 || !leaking().contains(test)) {
                    tensor.close();
                }
            }
        }
    }

    @TrackAllocations
    static class NoFactoryTestCase {

        @Test
        void forgets(StaticFactories factories) {
            assertThat(factories).isNotNull();
        }
    }

    @TrackAllocations
    static class StubbingTestCase {

        @Test
        @SuppressWarnings("MockNotUsedInProduction") // The stubbing is what is tested.
        void allocatesInAStubbing(StaticFactories factories) {
            factories.track(TENSORS);
            Supplier<StaticTensor> supplier = Mockito.mock();

            assertThatThrownBy(() -> Mockito.when(supplier.get()).thenReturn(StaticTensor.allocate(64)))
                    .isInstanceOf(UnfinishedStubbingException.class);
        }
    }

    @TrackAllocations
    static class OwnMockTestCase {

        @Test
        void intercepts(StaticFactories factories) {
            try (MockedStatic<StaticTensor> own = Mockito.mockStatic(StaticTensor.class)) {
                assertThatThrownBy(() -> factories.track(TENSORS)).isInstanceOf(MockitoException.class);
            }

            factories.track(TENSORS);
            StaticTensor.allocate(64).close();
        }
    }
}
