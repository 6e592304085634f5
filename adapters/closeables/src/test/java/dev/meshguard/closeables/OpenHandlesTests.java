package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** A tracked handle must be closed; nothing of its library has to report that. No mesh is on the class path here. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class OpenHandlesTests {

    private static final long SEED = 3_000;

    @Test
    void aClosedHandleIsNoLeak() {
        assertThat(failures(ClosedTestCase.class)).isEmpty();
    }

    @Test
    void anOpenHandleIsALeakOfItsSize() {
        assertThat(failures(OpenTestCase.class))
                .singleElement()
                .asString()
                .contains(
                        "LEAK  4 KiB of native memory in 1 handle, HELD",
                        "still referenced by OpenTestCase.tensor",
                        "OpenHandlesTests$OpenTestCase.leaks(");
    }

    /** The words of a failure are those of its source, whichever others there are. */
    @Test
    void anOpenHandleIsOneAlsoBesideAnotherSource() {
        assertThat(failures(BesideAnotherSourceTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  4 KiB of native memory in 1 handle, HELD", "Close the handle before the test ends.");
    }

    /** Whether it is closed is asked without a lock, so two polls may hear it. */
    @Test
    void aHandleIsFreedOnceHoweverManyThreadsAsk() {
        AllocationTracker tracker = AllocationTracker.create();
        NativeHandles handles = new NativeHandles(tracker, "test");
        AtomicBoolean isAsked = new AtomicBoolean();
        handles.track(new Object(), handle -> {
            if (isAsked.compareAndSet(false, true)) {
                handles.open().poll();
            }
            return true;
        });

        handles.open().poll();

        assertThat(tracker.history().anomalies()).isEmpty();
        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void theSizeMayBeUnknown() {
        assertThat(failures(UnknownSizeTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  ", "LOST");
    }

    @Test
    void saysOfADroppedHandleThatOnlyTheCollectorFreesIt() {
        assertThat(failures(DroppedPointerTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  256 B of native memory in 1 handle, LOST", """
                           why   LOST: no handle to it is reachable any more, and only the garbage collector frees it, at a moment that nobody
                                 chooses (event #6)
                           fix   Close the handle where its use ends, or expect it with a reason: the collector does not see how much memory it
                                 holds.
                        """)
                .doesNotContain("no code can close it");
    }

    @Test
    void whatTheCollectorFreesMayBeExpected() {
        assertThat(failures(ExpectedPointerTestCase.class)).isEmpty();
    }

    @Test
    void aHandleThatTheCollectorCouldFreeMayBeHeld() {
        assertThat(failures(HeldPointerTestCase.class))
                .singleElement()
                .asString()
                .contains(
                        "HELD: still referenced by HeldPointerTestCase.pointer",
                        "fix   Close the handle before the test ends.");
    }

    @Test
    void namesTheLineThatCalledAHelper() {
        assertThat(failures(HelperTestCase.class))
                .singleElement()
                .asString()
                .contains(
                        "   at dev.meshguard.closeables.OpenHandlesTests$HelperTestCase.callsAHelper(OpenHandlesTests.java:")
                .doesNotContain("Helper.track");
    }

    @Test
    void aHandleThatIsTrackedTwiceCountsOnce() {
        assertThat(failures(TwiceTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  4 KiB of native memory in 1 handle", "sum     1 allocated = 0 freed + 1 leaked");
    }

    /** It cannot be asked afterwards, so it is held until it is asked. */
    @Test
    void aHandleThatWasClosedAndCollectedIsNotLost() {
        assertThat(failures(CollectedTestCase.class)).isEmpty();
    }

    /** In native code they may use memory that is gone. */
    @Test
    void callsNeitherEqualsNorHashCodeOfAHandle() {
        assertThat(failures(OnlyIdentityTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  ", "sum     2 allocated = 1 freed + 1 leaked");
    }

    @Test
    void aHandleThatDoesNotAnswerLeavesTheVerdictOpen() {
        assertThat(failures(SilentTestCase.class))
                .singleElement()
                .asString()
                .contains(
                        "INCONCLUSIVE  ",
                        "a tracked handle did not answer whether it is closed:",
                        "java.lang.UnsupportedOperationException: no native library");
    }

    /** A class of the library may be missing. The handle beside it is named, and the leak of the next test is found. */
    @Test
    void aHandleWhoseLibraryCannotBeLinkedHidesNoOther() {
        assertThat(failures(UnlinkedTestCase.class))
                .hasSize(2)
                .anySatisfy(message -> assertThat(message)
                        .contains(
                                "INCONCLUSIVE  128 B of native memory in 2 handles",
                                "java.lang.NoClassDefFoundError: tensor/Native"))
                .anySatisfy(message -> assertThat(message).contains("LEAK  ").doesNotContain("NoClassDefFoundError"));
    }

    @Test
    void handlesOfATestThatIsOverTrackNothing() {
        NativeHandles handles = new NativeHandles(AllocationTracker.create(), "ModelTest#infers");
        handles.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> handles.track(new Tensor(), Tensor::isClosed))
                .withMessage(
                        "Cannot track a Tensor: these NativeHandles belonged to ModelTest#infers, which is over and was"
                                + " checked. Ask for NativeHandles where you use them.");
    }

    @Test
    void rejectsANegativeSize() {
        NativeHandles handles = new NativeHandles(AllocationTracker.create(), "ModelTest#infers");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> handles.track(new Tensor(), Tensor::isClosed, -1))
                .withMessage("Cannot track -1 B: give a size from 0, which is an unknown one.");
    }

    @Test
    void ofConcurrentTestsThoseFailThatLeak() {
        System.out.println("closeables: concurrent tests from seed " + Long.getLong("meshguard.seed", SEED));

        Set<Integer> blamed = run(ConcurrentTestCase.class).testEvents().failed().stream()
                .map(event -> event.getTestDescriptor().getDisplayName().replaceAll("\\D*(\\d+)\\D.*", "$1"))
                .map(index -> Integer.parseInt(index) - 1)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(blamed).isEqualTo(ConcurrentTestCase.leaking());
    }

    private static EngineExecutionResults run(Class<?> tests) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(tests))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
                .execute();
    }

    /** Returns the messages of the failures of a run. */
    private static List<String> failures(Class<?> tests) {
        List<String> messages = new ArrayList<>();
        for (Event failed : run(tests).allEvents().failed().list()) {
            failed.getPayload(TestExecutionResult.class)
                    .flatMap(TestExecutionResult::getThrowable)
                    .ifPresent(thrown -> messages.add(thrown.getMessage()));
        }
        return messages;
    }

    /** A handle of a library. */
    static class Tensor {

        private boolean isClosed;

        void close() {
            isClosed = true;
        }

        boolean isClosed() {
            return isClosed;
        }
    }

    /** A handle that must not be compared. */
    static final class NativeTensor extends Tensor {

        @Override
        public boolean equals(Object other) {
            throw new AssertionError("equals was called");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("hashCode was called");
        }

        @Override
        public String toString() {
            throw new AssertionError("toString was called");
        }
    }

    @TrackAllocations
    static class ClosedTestCase {
        @Test
        void closes(NativeHandles handles) {
            handles.track(new Tensor(), Tensor::isClosed, 4_096).close();
        }
    }

    @TrackAllocations
    static class BesideAnotherSourceTestCase {
        private Tensor tensor;

        @Test
        void leaks(NativeHandles handles, AllocationTracker tracker) {
            tracker.sourceAttached(SourceDescription.of("netty").speaking(SourceVocabulary.of("Netty memory")));
            tensor = handles.track(new Tensor(), Tensor::isClosed, 4_096);
        }
    }

    @TrackAllocations
    static class OpenTestCase {
        private Tensor tensor;

        @Test
        void leaks(NativeHandles handles) {
            tensor = handles.track(new Tensor(), Tensor::isClosed, 4_096);
        }
    }

    @TrackAllocations
    static class UnknownSizeTestCase {
        @Test
        void leaks(NativeHandles handles) {
            handles.track(new Tensor(), Tensor::isClosed);
        }
    }

    @TrackAllocations
    static class DroppedPointerTestCase {
        @Test
        void drops(NativeHandles handles) {
            handles.freedOnCollection().track(new Tensor(), Tensor::isClosed, 256);
        }
    }

    @TrackAllocations
    static class ExpectedPointerTestCase {
        @Test
        @ExpectBuffers(label = "Tensor", because = "the collector frees the few that are made here")
        void drops(NativeHandles handles) {
            handles.freedOnCollection().track(new Tensor(), Tensor::isClosed, 256);
        }
    }

    @TrackAllocations
    static class HeldPointerTestCase {
        private Tensor pointer;

        @Test
        void keeps(NativeHandles handles) {
            pointer = handles.freedOnCollection().track(new Tensor(), Tensor::isClosed, 256);
        }
    }

    /** Tracks what other code allocates. */
    record Helper(NativeHandles handles) {

        Tensor track(Tensor tensor) {
            return handles.track(tensor, Tensor::isClosed, 64);
        }
    }

    @TrackAllocations
    static class HelperTestCase {
        @Test
        void callsAHelper(NativeHandles handles) {
            new Helper(handles.skipping(Helper.class.getName())).track(new Tensor());
        }
    }

    @TrackAllocations
    static class TwiceTestCase {
        @Test
        void tracksTwice(NativeHandles handles) {
            Tensor tensor = handles.track(new Tensor(), Tensor::isClosed, 4_096);
            handles.track(tensor, Tensor::isClosed, 4_096);
        }
    }

    @TrackAllocations
    static class CollectedTestCase {
        @Test
        void closesAndDrops(NativeHandles handles) {
            handles.track(new Tensor(), Tensor::isClosed).close();
            System.gc();
        }
    }

    @TrackAllocations
    static class OnlyIdentityTestCase {
        private final List<Tensor> tensors = new ArrayList<>();

        @Test
        void closesOneOfTwo(NativeHandles handles) {
            tensors.add(handles.track(new NativeTensor(), Tensor::isClosed, 64));
            tensors.add(handles.track(new NativeTensor(), Tensor::isClosed, 64));
            tensors.get(1).close();
        }
    }

    @TrackAllocations
    static class SilentTestCase {
        @Test
        void cannotBeAsked(NativeHandles handles) {
            handles.track(
                    new Tensor(),
                    tensor -> {
                        throw new UnsupportedOperationException("no native library");
                    },
                    64);
        }
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class UnlinkedTestCase {
        private static final List<Tensor> TENSORS = new ArrayList<>();

        @Test
        void first(NativeHandles handles) {
            handles.track(
                    new Tensor(),
                    tensor -> {
                        throw new NoClassDefFoundError("tensor/Native");
                    },
                    64);
            TENSORS.add(handles.track(new Tensor(), tensor -> false, 64));
        }

        @Test
        void second(NativeHandles handles) {
            TENSORS.add(handles.track(new Tensor(), tensor -> false, 64));
        }
    }

    @TrackAllocations
    static class ConcurrentTestCase {

        static Set<Integer> leaking() {
            Random random = new Random(Long.getLong("meshguard.seed", SEED));
            return IntStream.range(0, 40)
                    .filter(test -> random.nextInt(4) == 0)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        static Stream<Integer> tests() {
            return IntStream.range(0, 40).boxed();
        }

        @ParameterizedTest
        @MethodSource("tests")
        void tracks(int test, NativeHandles handles) {
            for (int i = 0; i < 20; i++) {
                Tensor tensor = handles.track(new Tensor(), Tensor::isClosed, 64);
                if (i > 0 || !leaking().contains(test)) {
                    tensor.close();
                }
            }
        }
    }
}
