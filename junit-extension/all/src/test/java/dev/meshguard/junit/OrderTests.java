package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.MultipleFailuresError;

/** The check runs after everything that could still free a buffer, and after the extension has closed what the test left open. */
class OrderTests implements WithFixtures {

    private static final String FREED_LATER =
            " freed after the check, by dev.meshguard.junit.OrderTests$StoredReleaser.close(OrderTests.java:NN)."
                    + " JUnit closes after the check what was stored before MeshGuard began. If an"
                    + " extension stores it, register MeshGuard before that extension, for example with"
                    + " @TrackAllocations above its @ExtendWith.";

    /** Opens its resource before the instance of the test. */
    static class StoringExtension implements TestInstancePreConstructCallback {
        @Override
        public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
            return ExtensionContextScope.TEST_METHOD;
        }

        @Override
        public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
            Storing.stored = new StoredReleaser(new ArrayDeque<>());
            context.getStore(Namespace.create(StoringExtension.class)).put("releaser", Storing.stored);
        }
    }

    private record StoredReleaser(Deque<Runnable> frees) implements CloseableResource, AutoCloseable {
        @Override
        public void close() {
            frees.forEach(Runnable::run);
        }
    }

    abstract static class Storing {
        private static StoredReleaser stored;

        static void later(Runnable free) {
            stored.frees().add(free);
        }
    }

    @ExtendWith(StoringExtension.class)
    @TrackAllocations
    static class EarlierStoreTestCase extends Storing {
        @Test
        @MustFail(verdict = Outcome.LEAKED, note = "8 buffers of this leak were" + FREED_LATER)
        void whatAnEarlierExtensionHasStoredAndFreesAfterTheCheckIsExplained(MeshDevice mesh) {
            later(Buffers.take(mesh)::deallocate);
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, note = "1 buffer of this leak was" + FREED_LATER)
        void whatItFreesThroughATrackerIsExplainedToo(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 64, 64);
            later(() -> tracker.freed(0, BufferType.DRAM, 64));
        }
    }

    @TrackAllocations
    @ExtendWith(StoringExtension.class)
    static class LaterStoreTestCase extends Storing {
        @Test
        void whatALaterExtensionHasStoredIsFreedBeforeTheCheck(MeshDevice mesh) {
            later(Buffers.take(mesh)::deallocate);
        }
    }

    /** Frees its buffers when it is closed. */
    static final class Releaser implements AutoCloseable {
        private final Deque<MeshBuffer> buffers = new ArrayDeque<>();

        void add(MeshBuffer buffer) {
            buffers.add(buffer);
        }

        @Override
        public void close() {
            buffers.forEach(MeshBuffer::deallocate);
        }
    }

    @TrackAllocations
    static class TrackedTestCase {
        private static MeshDevice ofClass;

        @AutoClose
        private final Releaser closed = new Releaser();

        private final Releaser freed = new Releaser();

        @BeforeAll
        static void open(MeshDevice mesh) {
            ofClass = mesh;
        }

        @AfterEach
        void frees() {
            freed.close();
        }

        @Test
        void whatAfterEachFreesIsNoLeak(MeshDevice mesh) {
            freed.add(Buffers.take(mesh));
        }

        @Test
        void whatAutoCloseFreesIsNoLeak(MeshDevice mesh) {
            closed.add(Buffers.take(mesh));
        }

        static Stream<Releaser> releasers() {
            return Stream.of(new Releaser(), new Releaser());
        }

        @ParameterizedTest
        @Runs(2)
        @MethodSource("releasers")
        void whatACloseableArgumentFreesIsNoLeak(Releaser releaser, MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }

        static Stream<MeshBuffer> buffers() {
            return Stream.of(Buffers.take(ofClass), Buffers.take(ofClass));
        }

        @ParameterizedTest
        @Runs(2)
        @MethodSource("buffers")
        void aBufferThatJUnitClosesAsAnArgumentHidesThatTheTestDoesNotFreeIt(MeshBuffer buffer) {
            Assertions.assertThat(buffer.isAllocated()).isTrue();
        }
    }

    static class AutoCloseMethodTestCase {
        @AutoClose
        private final Releaser releaser = new Releaser();

        @Test
        @TrackAllocations
        void whatAutoCloseFreesIsNoLeakIfOnlyTheMethodIsAnnotated(MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }
    }

    @TrackAllocations
    @MustFail(verdict = Outcome.LEAKED)
    static class OpenBufferArgumentTestCase {
        private static MeshDevice ofClass;

        @BeforeAll
        static void open(MeshDevice mesh) {
            ofClass = mesh;
        }

        static Stream<MeshBuffer> buffers() {
            return Stream.of(Buffers.take(ofClass));
        }

        @ParameterizedTest(autoCloseArguments = false)
        @MethodSource("buffers")
        void aBufferThatJUnitDoesNotCloseIsALeak(MeshBuffer buffer) {
            Assertions.assertThat(buffer.isAllocated()).isTrue();
        }
    }

    static class FreeingExtension implements AfterEachCallback {
        @Override
        public void afterEach(ExtensionContext context) {
            ((Extended) context.getRequiredTestInstance()).buffer.deallocate();
        }
    }

    abstract static class Extended {
        MeshBuffer buffer;

        @Test
        void whatAnotherExtensionFreesBeforeTheCheckIsNoLeak(MeshDevice mesh, Ttnn ttnn) {
            buffer = Buffers.take(mesh);
        }
    }

    @ExtendWith(FreeingExtension.class)
    @TrackAllocations
    static class EarlierExtensionTestCase extends Extended {}

    @TrackAllocations
    @ExtendWith(FreeingExtension.class)
    static class LaterExtensionTestCase extends Extended {}

    /** JUnit closes the arguments of an instance for all tests after the callbacks. */
    @TrackAllocations
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class OneInstanceTestCase {
        @ParameterizedTest
        @MethodSource("dev.meshguard.junit.BlameTests#releasers")
        @MustFail(verdict = Outcome.LEAKED)
        void whatACloseableArgumentFreesIsALeakWithOneInstance(Releaser releaser, MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }

        @Test
        void aTestOfTheSameInstanceHasAMeshOfItsOwn(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class OneInstanceOnMeshOfClassTestCase {
        @ParameterizedTest
        @MethodSource("dev.meshguard.junit.BlameTests#releasers")
        void whatACloseableArgumentFreesIsNoLeakOnTheMeshOfTheClass(Releaser releaser, MeshDevice mesh) {
            releaser.add(Buffers.take(mesh));
        }
    }

    static class TakingExtension implements AfterEachCallback {
        @Override
        public void afterEach(ExtensionContext context) {
            ((EveryPlaceTestCase) context.getRequiredTestInstance()).take("extension");
        }
    }

    @TrackAllocations
    @ExtendWith(TakingExtension.class)
    static class EveryPlaceTestCase {
        private final MeshDevice mesh;

        @AutoClose
        final AutoCloseable closed = () -> take("field");

        EveryPlaceTestCase(MeshDevice mesh) {
            this.mesh = mesh;
            take("constructor");
        }

        private void take(String place) {
            Buffers.take(mesh, place);
        }

        @BeforeEach
        void before() {
            take("before");
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "label \"constructor\"",
                    "label \"before\"",
                    "label \"test\"",
                    "label \"after\"",
                    "label \"extension\"",
                    "label \"field\""
                })
        void aLeakFailsTheTestWhereverItIs() {
            take("test");
        }

        @AfterEach
        void after() {
            take("after");
        }
    }

    // What the test left open is closed before the check, and what it closed itself is not changed

    @TrackAllocations
    static class LeftOpenTestCase {
        @Test
        void aMeshThatWasLeftOpenIsClosedWithoutItsCachedPrograms(MeshDevice mesh, Ttnn ttnn) {
            Buffers.addAndFree(mesh, ttnn);
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = "fix   Call mesh.disableAndClearProgramCache() before"
                        + " ttnn.closeMeshDevice(mesh): closing a mesh does not clear the program cache.")
        void aMeshThatTheTestClosesKeepsItsCachedPrograms(MeshDevice mesh, Ttnn ttnn) {
            Buffers.addAndFree(mesh, ttnn);
            ttnn.closeMeshDevice(mesh);
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = """
                        note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                        note    mesh 1 was still open; MeshGuard cleared its program cache and closed it
                        """)
        void meshesThatTheTestOpensAreTrackedAndClosedToo(Ttnn ttnn) {
            MeshDevice single = ttnn.openMeshDevice(MeshShape.of(1, 1));
            MeshDevice closed = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(1, 1))
                    .withPhysicalDeviceIds(5));
            Buffers.take(single);
            Buffers.take(closed).deallocate();
        }

        @Test
        @MustFail(
                verdict = Outcome.INCONCLUSIVE,
                text = "is still open, so its buffers may still be freed. Close it before the check.")
        void aMeshThatWasOpenedPastTheExtensionHasToBeClosedByTheTest(AllocationTracker tracker) {
            Ttnn.create(tracker).openMeshDevice();
        }

        @MustLeak
        void aMeshThatAHelperOpensOnAnotherThreadIsTheTestsToo(Ttnn ttnn) {
            CompletableFuture.runAsync(() -> Buffers.take(ttnn.openMeshDevice(MeshShape.of(1, 1))))
                    .join();
        }
    }

    @TrackAllocations
    static class FreedLateTestCase {

        private Optional<Tensor> freedAfterwards = Optional.empty();

        @AfterEach
        void free(Ttnn ttnn) {
            freedAfterwards.ifPresent(ttnn::deallocate);
        }

        private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
            return ttnn.empty(TensorShape.of(32, 64), DataType.BFLOAT16, mesh);
        }

        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        void whatTheTestFreesAfterItClosedTheMeshIsFreedLate(Ttnn ttnn, MeshDevice mesh) {
            Tensor late = tensor(ttnn, mesh);
            ttnn.closeMeshDevice(mesh);
            ttnn.deallocate(late);
        }

        /** The extension closes nothing here. */
        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        @TrackAllocations(grace = "1 s")
        void whatIsFreedLateIsSoWithAGraceToo(Ttnn ttnn, MeshDevice mesh) {
            whatTheTestFreesAfterItClosedTheMeshIsFreedLate(ttnn, mesh);
        }
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class KeptTtnnTestCase {
        private static Ttnn kept;

        @Test
        void keeps(Ttnn ttnn) {
            kept = ttnn;
        }

        /** Its survivors would not be checked. */
        @Test
        @MustFail(
                error = IllegalStateException.class,
                message =
                        "Cannot open a 2x4 mesh: this Ttnn belonged to OrderTests$KeptTtnnTestCase#keeps, which is over"
                                + " and was checked. Ask for a Ttnn where you use it.")
        void opensNothingWithATtnnThatIsKeptInAField() {
            Buffers.take(kept.openMeshDevice());
        }
    }

    static class UnendedPartsTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().source(unendedParts()).build();

        /** The memory of the session is closed and checked nevertheless. */
        @Test
        @MustFail(
                error = MultipleFailuresError.class,
                text = {"the parts cannot be ended", "LEAK  "})
        void partsThatCannotBeEndedHideNoLeak(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        }
    }

    private static SourceSettings unendedParts() {
        return SourceSettings.withoutOptions(new FixtureSource("fixture"), unused -> new SourceSession() {
            @Override
            public List<SourcePart> endParts() {
                throw new IllegalStateException("the parts cannot be ended");
            }

            @Override
            public void close() {}
        });
    }
}
