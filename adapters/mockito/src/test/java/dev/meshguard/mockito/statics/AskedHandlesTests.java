package dev.meshguard.mockito.statics;

import static dev.meshguard.mockito.statics.StaticFactoryRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.junit.TrackAllocations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A handle that a static factory returned to the code under test is asked whether it is closed. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class AskedHandlesTests {

    private static final StaticFactory<StaticTensor> TENSORS = StaticFactory.of(StaticTensor.class)
            .closedWhen(StaticTensor::isClosed)
            .size(StaticTensor::bytes);

    @Test
    void thatIsClosedIsNoLeak() {
        assertThat(failuresOf(ClosedTestCase.class)).isEmpty();
    }

    @Test
    void thatIsOpenIsALeakAtTheLineThatCalledTheFactory() {
        assertThat(failuresOf(HeldTestCase.class))
                .singleElement()
                .asString()
                .satisfies(text -> assertThat(lines(text))
                        .startsWith(
                                "LEAK  4 KiB of native memory in 1 handle, HELD; allocated in AskedHandlesTests.java:NN",
                                "",
                                "1. native memory  4 KiB, label \"StaticTensor\"",
                                "   at dev.meshguard.mockito.statics.AskedHandlesTests$HeldTestCase.loadWeights(AskedHandlesTests.java:NN)",
                                "   why   HELD: still referenced by HeldTestCase.weights (event #NN)",
                                "   fix   Close the handle before the test ends."));
    }

    @Test
    void thatNobodyHoldsIsLost() {
        assertThat(failuresOf(DroppedTestCase.class))
                .singleElement()
                .asString()
                .contains("LOST: no handle to it is reachable any more", "sum     1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void thatNobodyHoldsIsLeftToTheCollectorOfALibraryThatFreesSo() {
        assertThat(failuresOf(DroppedToTheCollectorTestCase.class))
                .singleElement()
                .asString()
                .contains("only the garbage collector frees it");
    }

    /** Mockito remembers the arguments of calls, unless it is told not to. */
    @Test
    void thatOnlyAnInterceptedCallReceivedIsLost() {
        assertThat(failuresOf(PassedOnTestCase.class))
                .singleElement()
                .asString()
                .contains("LOST: no handle to it is reachable any more");
    }

    /** It cannot be asked afterwards, so it is held until it is asked. */
    @Test
    void thatWasClosedAndCollectedIsNotLost() {
        assertThat(failuresOf(CollectedTestCase.class)).isEmpty();
    }

    @Test
    void countsOnceIfOneFactoryCallsAnother() {
        assertThat(failuresOf(OverloadedTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  128 B of native memory in 1 handle", "sum     2 allocated = 1 freed + 1 leaked");
    }

    @Test
    void thatTheLibraryMadeForItselfIsNotTracked() {
        assertThat(failuresOf(LibraryOwnTestCase.class)).isEmpty();
    }

    @Test
    void countsOnceIfAFactoryReturnsItAgain() {
        assertThat(failuresOf(AgainTestCase.class))
                .singleElement()
                .asString()
                .contains("sum     1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void thatAnotherStaticMethodHelpedToGetIsTracked() {
        assertThat(failuresOf(CallbackTestCase.class))
                .singleElement()
                .asString()
                .contains("CallbackTestCase.lambda$", "sum     1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void thatWasNotMadeIsNotTracked() {
        assertThat(failuresOf(NothingMadeTestCase.class)).isEmpty();
    }

    /** The library keeps it. */
    @Test
    void thatAStaticInitializerMadeIsNotTracked() {
        assertThat(failuresOf(InitializedTestCase.class)).isEmpty();
    }

    @Test
    void comesFromAnyClassWithFactories() {
        assertThat(failuresOf(OtherClassTestCase.class))
                .singleElement()
                .asString()
                .contains("label \"StaticTensor\"", "sum     1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void comesFromTheNamedFactories() {
        assertThat(failuresOf(NamedFactoryTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  64 B of native memory in 1 handle", "sum     1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void mayHaveAnUnknownSize() {
        assertThat(failuresOf(UnknownSizeTestCase.class))
                .singleElement()
                .asString()
                .startsWith("LEAK  1 handle of native memory, HELD");
    }

    @Test
    void whoseSizeCannotBeReadLeavesTheVerdictOpen() {
        assertThat(failuresOf(UnreadableSizeTestCase.class))
                .singleElement()
                .asString()
                .contains(
                        "INCONCLUSIVE  ",
                        "the size of a StaticTensor could not be read: java.lang.IllegalStateException:",
                        "no native library");
        assertThat(failuresOf(NegativeSizeTestCase.class))
                .singleElement()
                .asString()
                .contains("INCONCLUSIVE  ", "the size of a StaticTensor could not be read: it was said to be -1 bytes");
    }

    private static List<String> lines(String text) {
        return text.replaceAll("\\.java:\\d+", ".java:NN")
                .replaceAll("#\\d+", "#NN")
                .lines()
                .toList();
    }

    @TrackAllocations
    static class ClosedTestCase {

        @BeforeEach
        void track(StaticFactories factories) {
            factories.track(TENSORS);
        }

        @Test
        void closes() {
            try (StaticTensor tensor = StaticTensor.allocate(4_096)) {
                assertThat(tensor.bytes()).isEqualTo(4_096);
            }
        }
    }

    @TrackAllocations
    static class HeldTestCase {

        private StaticTensor weights;

        @Test
        void loads(StaticFactories factories) {
            factories.track(TENSORS);

            loadWeights();
        }

        private void loadWeights() {
            weights = StaticTensor.allocate(4_096);
        }
    }

    @TrackAllocations
    static class DroppedTestCase {

        @Test
        void drops(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.allocate(64);
        }
    }

    @TrackAllocations
    static class DroppedToTheCollectorTestCase {

        @Test
        void drops(StaticFactories factories) {
            factories.track(TENSORS.freedOnCollection());

            StaticTensor.allocate(64);
        }
    }

    @TrackAllocations
    static class PassedOnTestCase {

        @Test
        void passesItOn(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.requireOpen(StaticTensor.allocate(64));
        }
    }

    @TrackAllocations
    static class CollectedTestCase {

        @Test
        void closesAndDrops(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.allocate(64).close();

            System.gc();
        }
    }

    @TrackAllocations
    static class OverloadedTestCase {

        private final List<StaticTensor> tensors = new ArrayList<>();

        @Test
        void allocatesThroughBothOverloads(StaticFactories factories) {
            factories.track(TENSORS);

            tensors.add(StaticTensor.allocate(128));
            StaticTensor.allocate(64, 32).close();
        }
    }

    @TrackAllocations
    static class LibraryOwnTestCase {

        @Test
        void closesTheCopy(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.copyOfOnes().close();
        }
    }

    @TrackAllocations
    static class AgainTestCase {

        private StaticTensor tensor;

        @Test
        void getsItTwice(StaticFactories factories) {
            factories.track(TENSORS);

            tensor = StaticTensor.allocate(64);

            assertThat(StaticTensor.requireOpen(tensor)).isSameAs(tensor);
        }
    }

    @TrackAllocations
    static class CallbackTestCase {

        @Test
        void allocatesInAScope(StaticFactories factories) {
            factories.track(TENSORS);

            StaticTensor.inScope(() -> StaticTensor.allocate(64));
        }
    }

    @TrackAllocations
    static class NothingMadeTestCase {

        @Test
        void getsNothing(StaticFactories factories) {
            factories.track(TENSORS);

            assertThat(StaticTensor.ifPresent("")).isNull();
            assertThatThrownBy(() -> StaticTensor.allocate(63))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("63 B are not aligned to 64");
            StaticTensor.allocate(64).close();
        }
    }

    /** A class that keeps a handle of its own. */
    private static final class Cache {

        private static final StaticTensor SHARED = make();

        static StaticTensor make() {
            return StaticTensor.allocate(64);
        }

        private Cache() {}
    }

    @TrackAllocations
    static class InitializedTestCase {

        @Test
        void usesAClassForTheFirstTime(StaticFactories factories) {
            factories.track(
                    StaticFactory.of(Cache.class).returning(StaticTensor.class).closedWhen(StaticTensor::isClosed));

            Cache.make().close();

            assertThat(Cache.SHARED.isClosed()).isFalse();
        }
    }

    /** A class whose static methods return handles of another one. */
    private static final class Tensors {

        static StaticTensor zeros(long count) {
            return StaticTensor.allocate(8 * count);
        }

        private Tensors() {}
    }

    @TrackAllocations
    static class OtherClassTestCase {

        @Test
        void allocatesZeros(StaticFactories factories) {
            factories.track(StaticFactory.of(Tensors.class)
                    .returning(StaticTensor.class)
                    .closedWhen(StaticTensor::isClosed));

            Tensors.zeros(8);
        }
    }

    @TrackAllocations
    static class NamedFactoryTestCase {

        @Test
        void allocatesAndCopies(StaticFactories factories) {
            factories.track(TENSORS.methods("allocate"));

            StaticTensor.allocate(64);
            StaticTensor.requireOpen(new StaticTensor(8));
        }
    }

    @TrackAllocations
    static class UnknownSizeTestCase {

        private StaticTensor tensor;

        @Test
        void allocates(StaticFactories factories) {
            factories.track(StaticFactory.of(StaticTensor.class).closedWhen(StaticTensor::isClosed));

            tensor = StaticTensor.allocate(64);
        }
    }

    @TrackAllocations
    static class UnreadableSizeTestCase {

        @Test
        void allocates(StaticFactories factories) {
            factories.track(TENSORS.size(tensor -> {
                throw new IllegalStateException("no native library");
            }));

            StaticTensor.allocate(64).close();
        }
    }

    @TrackAllocations
    static class NegativeSizeTestCase {

        @Test
        void allocates(StaticFactories factories) {
            factories.track(TENSORS.size(tensor -> -1));

            StaticTensor.allocate(64).close();
        }
    }
}
