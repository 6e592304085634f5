package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Searches the holders of a test's survivors. */
@SuppressWarnings("UnusedVariable") // Only a search reads the fields of the fixtures.
class ReachableHandlesTests {

    private static @Nullable AllocationTracker ofPassedTest;

    @AfterEach
    void forget() {
        StaticTestCase.registry.clear();
        ofPassedTest = null;
    }

    @Test
    void aBufferInAFieldOfATestAroundIsHeldByIt() {
        assertThat(run(OuterTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFinding(Cause.HELD, 1, 4096, OuterTestCase.Inner.class, "decode")
                .withTextContaining(
                        "HELD: still referenced by OuterTestCase.layers -> HashMap[\"layer3\"] -> a lambda (event #")
                .withReport(
                        "mvn test -Dtest='ReachableHandlesTests$OuterTestCase$Inner#decode'",
                        "mesh 0 was still open; MeshGuard cleared its program cache and closed it");
    }

    @Test
    void aBufferInAStaticFieldIsHeldByTheClass() {
        assertThatOneSurvives(StaticTestCase.class, Cause.HELD)
                .withTextContaining("still referenced by StaticTestCase.registry -> HashMap[7] -> Optional (");
    }

    @Test
    void aTensorIsHeldByWhoeverHasAnAliasOfIt() {
        assertThatOneSurvives(AliasTestCase.class, Cause.HELD)
                .withTextContaining("still referenced by AliasTestCase.views -> Tensor[0] (");
    }

    @Test
    void aMeshThatLastsAsLongAsItsClassIsSearchedForWithTheInstanceOfTheClass() {
        assertThat(run(ClassTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withFinding(Cause.HELD, 1, 4096, ClassTestCase.class, "load")
                .withTextContaining("still referenced by ClassTestCase.shared (");
    }

    @Test
    void aProgramThatIsKeptHoldsItsBinary() {
        var failure = assertThatOneSurvives(ProgramTestCase.class, Cause.HELD)
                .withTextContaining("HELD: still referenced by ProgramTestCase.program (event #")
                .withTextContaining("the own allocator of device 0 reported ");
        Assertions.assertThat(
                        failure.verdict().survivors().get(0).buffer().owner().map(Object::toString))
                .contains("program 1 (mine)");
    }

    /** The collection of the search would free it, and must not make the test pass. */
    @Test
    void aBufferThatACollectionWouldFreeAfterTheCheckIsLost() {
        assertThatOneSurvives(CollectedTestCase.class, Cause.LOST);
    }

    @Test
    void whatCannotBeReadFromOutsideIsNamed() {
        assertThatOneSurvives(OwnCollectionTestCase.class, Cause.HELD)
                .withTextContaining("its handle is still reachable, but from none of the objects that were searched (")
                .withTextContaining("who holds buffers was not looked for in dev.meshguard.junit."
                        + "ReachableHandlesTests$OwnCollectionTestCase$Own, which cannot be read from outside");
    }

    @Test
    void aTestThatLeavesNothingIsNotSearched() {
        assertThat(run(GreenTestCase.class)).hasOnlySucceeded(1);

        assertNotSearched();
    }

    @Test
    void aTestThatLeavesOnlyWhatIsExpectedForcesNoCollection() {
        assertThat(run(ExpectedTestCase.class)).hasOnlySucceeded(1);

        assertNotSearched();
    }

    private static RunAssert.Failure assertThatOneSurvives(Class<?> testCase, Cause cause) {
        return assertThat(run(testCase)).hasSingleTest().whichFailed().withFinding(cause, 1, 4096, testCase, "decode");
    }

    private static void assertNotSearched() {
        Assertions.assertThat(Optional.ofNullable(ofPassedTest)
                        .orElseThrow()
                        .history()
                        .events())
                .noneMatch(HistoryEvent.HandleTraced.class::isInstance);
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    @Retention(RetentionPolicy.RUNTIME)
    @interface OnOneDevice {}

    @OnOneDevice
    static class OuterTestCase {
        private final Map<String, Supplier<MeshBuffer>> layers = new HashMap<>();

        @Nested
        class Inner {
            @Test
            void decode(MeshDevice mesh) {
                MeshBuffer buffer = Buffers.take(mesh);
                layers.put("layer3", () -> buffer);
            }
        }
    }

    @OnOneDevice
    static class StaticTestCase {
        private static final Map<Integer, Optional<MeshBuffer>> registry = new HashMap<>();

        @Test
        void decode(MeshDevice mesh) {
            registry.put(7, Optional.of(Buffers.take(mesh)));
        }
    }

    @OnOneDevice
    static class AliasTestCase {
        private Tensor @Nullable [] views;

        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            Tensor weights = ttnn.empty(TensorShape.of(32, 64), DataType.BFLOAT16, mesh);
            views = new Tensor[] {weights.reshape(TensorShape.of(1, 32, 64))};
            weights.close();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @FakeMesh(rows = 1, columns = 1)
    @TestInstance(Lifecycle.PER_CLASS)
    static class ClassTestCase {
        private @Nullable MeshBuffer shared;

        @BeforeEach
        void load(MeshDevice mesh) {
            shared = Buffers.take(mesh);
        }

        @Test
        void decode() {}
    }

    @OnOneDevice
    static class ProgramTestCase {
        private @Nullable Program program;

        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            program = ttnn.createProgram("mine").addKernel(2);
            mesh.enqueueProgram(0, program);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1, handleRelease = HandleRelease.ON_COLLECT)
    static class CollectedTestCase {
        @Test
        void decode(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @OnOneDevice
    static class OwnCollectionTestCase {
        private final Own cache = new Own();

        @Test
        void decode(MeshDevice mesh) {
            cache.put("a", Buffers.take(mesh));
        }

        static final class Own extends HashMap<String, Object> {
            private static final long serialVersionUID = 1;
        }
    }

    @OnOneDevice
    @ExpectBuffers(because = "the cache lasts", exactly = 1)
    static class ExpectedTestCase {
        @Test
        void decode(MeshDevice mesh, AllocationTracker tracker) {
            ofPassedTest = tracker;
            Buffers.take(mesh);
        }
    }

    @OnOneDevice
    static class GreenTestCase {
        private final List<MeshBuffer> held = new ArrayList<>();

        @Test
        void decode(MeshDevice mesh, AllocationTracker tracker) {
            ofPassedTest = tracker;
            held.add(Buffers.take(mesh));
            held.get(0).deallocate();
        }
    }
}
