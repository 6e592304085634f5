package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
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

/** A tracked handle must be closed; nothing of its library has to report that. No mesh is on the class path here. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class OpenHandlesTests implements WithFixtures {

    private static final long SEED = 3_000;

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

    /** Tracks what other code allocates. */
    record Helper(NativeHandles handles) {

        Tensor track(Tensor tensor) {
            return handles.track(tensor, Tensor::isClosed, 64);
        }
    }

    @TrackAllocations
    static class HandlesTestCase {
        private final List<Tensor> tensors = new ArrayList<>();
        private Tensor tensor;

        @Test
        void isClosed(NativeHandles handles) {
            handles.track(new Tensor(), Tensor::isClosed, 4_096).close();
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  4 KiB of native memory in 1 handle, HELD",
                    "still referenced by HandlesTestCase.tensor",
                    "OpenHandlesTests$HandlesTestCase.isOpen("
                })
        void isOpen(NativeHandles handles) {
            tensor = handles.track(new Tensor(), Tensor::isClosed, 4_096);
        }

        /** The words of a failure are those of its source, whichever others there are. */
        @Test
        @MustFail(text = {"LEAK  4 KiB of native memory in 1 handle, HELD", "Close the handle before the test ends."})
        void isOpenBesideAnotherSource(NativeHandles handles, AllocationTracker tracker) {
            tracker.sourceAttached(SourceDescription.of("netty").speaking(SourceVocabulary.of("Netty memory")));
            tensor = handles.track(new Tensor(), Tensor::isClosed, 4_096);
        }

        @Test
        @MustFail(text = {"LEAK  ", "LOST"})
        void isLostWithAnUnknownSize(NativeHandles handles) {
            handles.track(new Tensor(), Tensor::isClosed);
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  256 B of native memory in 1 handle, LOST",
                    "no handle to it is reachable any more, and only the garbage collector frees it, at a moment that nobody chooses (",
                    "fix   Close the handle where its use ends, or expect it with a reason: the collector does not see how much memory"
                            + " it holds. seen"
                })
        void isDroppedThoughOnlyTheCollectorFreesIt(NativeHandles handles) {
            handles.freedOnCollection().track(new Tensor(), Tensor::isClosed, 256);
        }

        @Test
        @ExpectBuffers(label = "Tensor", because = "the collector frees the few that are made here")
        void isExpectedToBeFreedByTheCollector(NativeHandles handles) {
            handles.freedOnCollection().track(new Tensor(), Tensor::isClosed, 256);
        }

        @Test
        @MustFail(
                text = {
                    "HELD: still referenced by HandlesTestCase.tensor",
                    "fix   Close the handle before the test ends."
                })
        void isHeldThoughTheCollectorCouldFreeIt(NativeHandles handles) {
            tensor = handles.freedOnCollection().track(new Tensor(), Tensor::isClosed, 256);
        }

        @Test
        @MustFail(text = """
                1. native memory  64 B, label "Tensor"
                   at dev.meshguard.closeables.OpenHandlesTests$HandlesTestCase.isTrackedByAHelper(""")
        void isTrackedByAHelper(NativeHandles handles) {
            new Helper(handles.skipping(Helper.class.getName())).track(new Tensor());
        }

        @Test
        @MustFail(text = {"LEAK  4 KiB of native memory in 1 handle", "sum     1 allocated = 0 freed + 1 leaked"})
        void countsOnceThoughItIsTrackedTwice(NativeHandles handles) {
            tensor = handles.track(new Tensor(), Tensor::isClosed, 4_096);
            handles.track(tensor, Tensor::isClosed, 4_096);
        }

        /** It cannot be asked afterwards, so it is held until it is asked. */
        @Test
        void isClosedAndDropped(NativeHandles handles) {
            handles.track(new Tensor(), Tensor::isClosed).close();
            System.gc();
        }

        /** In native code its methods may use memory that is gone. */
        @Test
        @MustFail(text = {"LEAK  ", "sum     2 allocated = 1 freed + 1 leaked"})
        void isNotComparedWithAnother(NativeHandles handles) {
            tensors.add(handles.track(new NativeTensor(), Tensor::isClosed, 64));
            tensors.add(handles.track(new NativeTensor(), Tensor::isClosed, 64));
            tensors.get(1).close();
        }

        @Test
        @MustFail(
                text = {
                    "INCONCLUSIVE  ",
                    "a tracked handle did not answer whether it is closed:",
                    "java.lang.UnsupportedOperationException: no native library"
                })
        void cannotBeAsked(NativeHandles handles) {
            handles.track(
                    new Tensor(),
                    unused -> {
                        throw new UnsupportedOperationException("no native library");
                    },
                    64);
        }
    }

    /** A class of the library may be missing. The handle beside it is named, and the leak of the next test is found. */
    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class UnlinkedTestCase {
        private static final List<Tensor> TENSORS = new ArrayList<>();

        @Test
        @MustFail(
                text = {
                    "INCONCLUSIVE  128 B of native memory in 2 handles",
                    "java.lang.NoClassDefFoundError: tensor/Native"
                })
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
        @MustFail(verdict = Outcome.LEAKED)
        void second(NativeHandles handles) {
            TENSORS.add(handles.track(new Tensor(), tensor -> false, 64));
        }
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

    @TrackAllocations
    static class ConcurrentCase {

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

        @ParameterizedTest(name = "{0}")
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

    @Test
    void ofConcurrentTestsThoseFailThatLeak() {
        System.out.println("closeables: concurrent tests from seed " + Long.getLong("meshguard.seed", SEED));

        RunAssert.assertThat(JupiterRun.runConcurrently(ConcurrentCase.class))
                .hasOnlyFailed(
                        ConcurrentCase.leaking().stream().map(String::valueOf).toArray(String[]::new));
    }
}
