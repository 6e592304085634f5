package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
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

    private static @Nullable AllocationTracker ofGreenTest;

    @AfterEach
    void forget() {
        StaticTestCase.registry.clear();
        ofGreenTest = null;
    }

    @Test
    void aBufferInAFieldOfATestAroundIsHeldByIt() {
        assertThat(run(OuterTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   HELD: still referenced by OuterTestCase.layers -> HashMap["layer3"] -> a lambda (event #24)
                   -> at dev.meshguard.junit.ReachableHandlesTests$OuterTestCase$Inner.decode(ReachableHandlesTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #16)
                   allocated in TEST (event #10) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$OuterTestCase$Inner.decode", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$OuterTestCase$Inner.decode" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest='ReachableHandlesTests$OuterTestCase$Inner#decode'""");
    }

    @Test
    void aBufferInAStaticFieldIsHeldByTheClass() {
        assertThat(run(StaticTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   HELD: still referenced by StaticTestCase.registry -> HashMap[7] -> Optional (event #24)
                   -> at dev.meshguard.junit.ReachableHandlesTests$StaticTestCase.decode(ReachableHandlesTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #16)
                   allocated in TEST (event #10) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$StaticTestCase.decode", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$StaticTestCase.decode" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest='ReachableHandlesTests$StaticTestCase#decode'""");
    }

    @Test
    void aTensorIsHeldByWhoeverHasAnAliasOfIt() {
        assertThat(run(AliasTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   HELD: still referenced by AliasTestCase.views -> Tensor[0] (event #24)
                   -> at dev.meshguard.junit.ReachableHandlesTests$AliasTestCase.decode(ReachableHandlesTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #16)
                   allocated in TEST (event #10) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$AliasTestCase.decode", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$AliasTestCase.decode" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest='ReachableHandlesTests$AliasTestCase#decode'""");
    }

    @Test
    void aMeshThatLastsAsLongAsItsClassIsSearchedForWithTheInstanceOfTheClass() {
        assertThat(run(ClassTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   HELD: still referenced by ClassTestCase.shared (event #25)
                   -> at dev.meshguard.junit.ReachableHandlesTests$ClassTestCase.load(ReachableHandlesTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #17)
                   allocated in SETUP (event #10) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                SETUP        |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$ClassTestCase.load", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$ClassTestCase.load" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest='ReachableHandlesTests$ClassTestCase'""");
    }

    @Test
    void aProgramThatIsKeptHoldsItsBinary() {
        assertThat(run(ProgramTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   HELD: still referenced by ProgramTestCase.program (event #27)
                   -> at dev.meshguard.junit.ReachableHandlesTests$ProgramTestCase.decode(ReachableHandlesTests.java:NN)
                   the own allocator of device 0 reported 0x3ffff800 (1073739776) as allocated when close began (event #17)
                   allocated in TEST (event #10) at 0x3ffff800 (1073739776), unlabelled, owned by program 1 (mine)

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$ProgramTestCase.decode", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$ProgramTestCase.decode" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest='ReachableHandlesTests$ProgramTestCase#decode'""");
    }

    /** The collection of the search would free it, and must not make the test pass. */
    @Test
    void aBufferThatACollectionWouldFreeAfterTheCheckIsLost() {
        assertThat(run(CollectedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   LOST: no handle to it is reachable any more, and no free of it was reported (event #24)
                   -> at dev.meshguard.junit.ReachableHandlesTests$CollectedTestCase.decode(ReachableHandlesTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #16)
                   allocated in TEST (event #10) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                LOST: Keep the handle until the buffer is freed: without it, no code can free it.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$CollectedTestCase.decode", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$CollectedTestCase.decode" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest='ReachableHandlesTests$CollectedTestCase#decode'""");
    }

    @Test
    void whatCannotBeReadFromOutsideIsNamed() {
        assertThat(run(OwnCollectionTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withText("""
                LEAK  1 leak · 1 buffer · 4 KiB (4096 B) still allocated after close_mesh_device      [1 allocated = 0 freed + 1 leaked]
                1. DRAM 4 KiB (4096 B) x 1   device ●   HELD: its handle is still reachable, but from none of the objects that were searched (event #24)
                   -> at dev.meshguard.junit.ReachableHandlesTests$OwnCollectionTestCase.decode(ReachableHandlesTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #16)
                   allocated in TEST (event #10) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 4 KiB (4096 B)  1 buffer, 4 KiB (4096 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on device 0
                CLOSE        nothing  DRAM 4 KiB on device 0
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 KiB -> 4 KiB
                CACHE_CLEAR  |##############################|  4 KiB -> 4 KiB
                CLOSE        |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, origin = "ReachableHandlesTests$OwnCollectionTestCase.decode", because = "…")
                   as a line of a file: DRAM device 0 size 4096 count atMost 1 origin "ReachableHandlesTests$OwnCollectionTestCase.decode" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Note: who holds buffers was not looked for in dev.meshguard.junit.ReachableHandlesTests$OwnCollectionTestCase$Own, which cannot be read from outside
                Reproduce: mvn test -Dtest='ReachableHandlesTests$OwnCollectionTestCase#decode'""");
    }

    @Test
    void aTestThatLeavesNothingIsNotSearched() {
        assertThat(run(GreenTestCase.class)).hasOnlySucceeded(1);

        Assertions.assertThat(
                        Optional.ofNullable(ofGreenTest).orElseThrow().history().events())
                .noneMatch(HistoryEvent.HandleTraced.class::isInstance);
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
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

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class StaticTestCase {
        private static final Map<Integer, Optional<MeshBuffer>> registry = new HashMap<>();

        @Test
        void decode(MeshDevice mesh) {
            registry.put(7, Optional.of(Buffers.take(mesh)));
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
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

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
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

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
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

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class GreenTestCase {
        private final List<MeshBuffer> held = new ArrayList<>();

        @Test
        void decode(MeshDevice mesh, AllocationTracker tracker) {
            ofGreenTest = tracker;
            held.add(Buffers.take(mesh));
            held.get(0).deallocate();
        }
    }
}
