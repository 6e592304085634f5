package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.tracker.AllocationTracker;
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
class ReachableHandlesTests implements WithFixtures {

    private static @Nullable AllocationTracker ofPassedTest;

    @AfterEach
    void forget() {
        StaticTestCase.registry.clear();
        ofPassedTest = null;
    }

    @Test
    void aTestThatLeavesNothingIsNotSearched() {
        assertThat(run(GreenCase.class)).hasOnlySucceeded(1);

        assertNotSearched();
    }

    @Test
    void aTestThatLeavesOnlyWhatIsExpectedForcesNoCollection() {
        assertThat(run(ExpectedCase.class)).hasOnlySucceeded(1);

        assertNotSearched();
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
            @MustFail(
                    verdict = Outcome.LEAKED,
                    text = {
                        "4 KiB in 1 DRAM buffer",
                        "at dev.meshguard.junit.ReachableHandlesTests$OuterTestCase$Inner.aBufferInAFieldOfATestAroundIsHeldByIt(",
                        "HELD: still referenced by OuterTestCase.layers -> HashMap[\"layer3\"] -> a lambda (event #"
                    })
            void aBufferInAFieldOfATestAroundIsHeldByIt(MeshDevice mesh) {
                MeshBuffer buffer = Buffers.take(mesh);
                layers.put("layer3", () -> buffer);
            }
        }
    }

    @OnOneDevice
    static class StaticTestCase {
        private static final Map<Integer, Optional<MeshBuffer>> registry = new HashMap<>();

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "4 KiB in 1 DRAM buffer",
                    "at dev.meshguard.junit.ReachableHandlesTests$StaticTestCase.aBufferInAStaticFieldIsHeldByTheClass(",
                    "HELD: still referenced by StaticTestCase.registry -> HashMap[7] -> Optional ("
                })
        void aBufferInAStaticFieldIsHeldByTheClass(MeshDevice mesh) {
            registry.put(7, Optional.of(Buffers.take(mesh)));
        }
    }

    /** A mesh that lasts as long as its class is searched for with the instance of the class. */
    @MustFail(
            verdict = Outcome.LEAKED,
            text = {
                "4 KiB in 1 DRAM buffer",
                "at dev.meshguard.junit.ReachableHandlesTests$ClassTestCase.load(",
                "HELD: still referenced by ClassTestCase.shared ("
            })
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
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "4 KiB in 1 DRAM buffer",
                    "owned by program 1 (mine)",
                    "HELD: still referenced by ProgramTestCase.program (event #",
                    "the own allocator of device 0 reported "
                })
        void aProgramThatIsKeptHoldsItsBinary(Ttnn ttnn, MeshDevice mesh) {
            program = ttnn.createProgram("mine").addKernel(2);
            mesh.enqueueProgram(0, program);
        }
    }

    /** The collection of the search would free it, and must not make the test pass. */
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1, handleRelease = HandleRelease.ON_COLLECT)
    static class CollectedTestCase {
        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "4 KiB in 1 DRAM buffer",
                    "at dev.meshguard.junit.ReachableHandlesTests$CollectedTestCase.aBufferThatACollectionWouldFreeAfterTheCheckIsLost(",
                    "LOST: no handle to it is reachable any more"
                })
        void aBufferThatACollectionWouldFreeAfterTheCheckIsLost(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @OnOneDevice
    @ExpectBuffers(because = "the cache lasts", exactly = 1)
    static class ExpectedCase {
        @Test
        void decode(MeshDevice mesh, AllocationTracker tracker) {
            ofPassedTest = tracker;
            Buffers.take(mesh);
        }
    }

    @OnOneDevice
    static class GreenCase {
        private final List<MeshBuffer> held = new ArrayList<>();

        @Test
        void decode(MeshDevice mesh, AllocationTracker tracker) {
            ofPassedTest = tracker;
            held.add(Buffers.take(mesh));
            held.get(0).deallocate();
        }
    }
}
