package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Publishes;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
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
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;

/** A failure reports what leaked or was overwritten, who holds it, and what an earlier error has to do with it. */
@SuppressWarnings("UnusedVariable") // Only a search reads the fields of the fixtures.
class LeakingTests implements WithFixtures {

    @TrackAllocations
    static class LeakTestCase {
        /** With the whole verdict. */
        @Test
        @MustFail(verdict = Outcome.LEAKED, frame = "LeakTestCase.decode", message = """
                LEAK  32 KiB in 8 DRAM buffers, LOST; allocated in LeakingTests.java:NN

                1. DRAM  8 x 4 KiB, one on each of devices 0-7
                   at dev.meshguard.junit.LeakingTests$LeakTestCase.decode(LeakingTests.java:NN)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported ({handle traced 1})
                   fix   Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (events #14 to #21)
                         the allocator reported 0x2d4c40 (2968640) as allocated when close began ({witnessed 1})

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     8 allocated = 0 freed + 8 leaked
                expect  @ExpectBuffers(type = DRAM, size = 4096, atMost = 8, origin = "LeakingTests$LeakTestCase.decode", because = "…")
                rerun   mvn test -Dtest='LeakingTests$LeakTestCase#decode'""")
        void decode(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    /** The frees of devices are not reported. */
    @FakeMesh(defects = RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
    static class MisreportedTestCase {
        @BeforeEach
        void takesAndFrees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(verdict = Outcome.MISREPORTED)
        @TrackAllocations
        void aMissingReportFailsClean() {}

        @Test
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        void aMissingReportDoesNotFailNoLeaks() {}

        @Test
        @MustFail(verdict = Outcome.MISREPORTED)
        @TrackAllocations(check = AllocationCheck.ONLY_EXPECTED_SYSTEM_BUFFERS)
        void aMissingReportFailsOnlyExpectedSystemBuffers() {}
    }

    // Who holds a survivor

    private static @Nullable AllocationTracker ofPassedTest;

    @AfterEach
    void forget() {
        HeldTestCase.registry.clear();
        ofPassedTest = null;
    }

    @ParameterizedTest
    @ValueSource(classes = {GreenCase.class, ExpectedCase.class})
    void aTestThatLeavesNothingOrWhatIsExpectedIsNotSearched(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlySucceeded(1);

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
    static class HeldTestCase {
        private static final Map<Integer, Optional<MeshBuffer>> registry = new HashMap<>();
        private final Map<String, Supplier<MeshBuffer>> layers = new HashMap<>();
        private @Nullable Program program;

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "4 KiB in 1 DRAM buffer",
                    "at dev.meshguard.junit.LeakingTests$HeldTestCase.aBufferInAStaticFieldIsHeldByTheClass(",
                    "HELD: still referenced by HeldTestCase.registry -> HashMap[7] -> Optional ("
                })
        void aBufferInAStaticFieldIsHeldByTheClass(MeshDevice mesh) {
            registry.put(7, Optional.of(Buffers.take(mesh)));
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "4 KiB in 1 DRAM buffer",
                    "owned by program 1 (mine)",
                    "HELD: still referenced by HeldTestCase.program (event #",
                    "the own allocator of device 0 reported "
                })
        void aProgramThatIsKeptHoldsItsBinary(Ttnn ttnn, MeshDevice mesh) {
            program = ttnn.createProgram("mine").addKernel(2);
            mesh.enqueueProgram(0, program);
        }

        @Nested
        class Inner {
            @Test
            @MustFail(
                    verdict = Outcome.LEAKED,
                    text = {
                        "4 KiB in 1 DRAM buffer",
                        "at dev.meshguard.junit.LeakingTests$HeldTestCase$Inner.aBufferInAFieldOfATestAroundIsHeldByIt(",
                        "HELD: still referenced by HeldTestCase.layers -> HashMap[\"layer3\"] -> a lambda (event #"
                    })
            void aBufferInAFieldOfATestAroundIsHeldByIt(MeshDevice mesh) {
                MeshBuffer buffer = Buffers.take(mesh);
                layers.put("layer3", () -> buffer);
            }
        }
    }

    /** A mesh that lasts as long as its class is searched for with the instance of the class. */
    @MustFail(
            verdict = Outcome.LEAKED,
            text = {
                "4 KiB in 1 DRAM buffer",
                "at dev.meshguard.junit.LeakingTests$ClassTestCase.load(",
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

    /** The collection of the search would free it, and must not make the test pass. */
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1, handleRelease = HandleRelease.ON_COLLECT)
    static class CollectedTestCase {
        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "4 KiB in 1 DRAM buffer",
                    "at dev.meshguard.junit.LeakingTests$CollectedTestCase.aBufferThatACollectionWouldFreeAfterTheCheckIsLost(",
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

    // A test that failed because its memory had no room: its survivors are not presented as the failure

    private static final long MOST_OF_L1 = 64L * 1_024 * 1_024;

    @TrackAllocations
    static class OutOfMemoryTestCase {

        /** The memory has room, so nobody holds it. */
        @Test
        @MustFail(
                error = InsufficientMemoryException.class,
                text = "\ninjected: failingAllocation(2)",
                published = "LEAK  8 KiB")
        void leavesOutAnInjectedErrorWhichNamesItself(AllocationTracker tracker) {
            Ttnn ttnn = Ttnn.builder(tracker)
                    .faults(FaultPlan.none().failingAllocation(2))
                    .build();
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 4));
            mesh.allocate(BufferType.L1, 2_048);
            try {
                mesh.allocate(BufferType.L1, 2_048);
            } finally {
                mesh.close();
            }
        }

        @Test
        @MustFail(
                published = {
                    "OUT OF MEMORY  L1 full: 1 MiB needed in each bank, 338.66 KiB free\n",
                    "held  1 MiB by 1 buffer, allocated at",
                    "remaining after the failure: 512 MiB in 8 L1 buffers, LOST; allocated in ",
                    "note    the test threw DeviceOutOfMemoryException before this check, so"
                })
        void beginsWithTheShortageAndListsSurvivorsAsRemaining(MeshDevice mesh) {
            fill(mesh);
        }

        @Test
        @MustFail(published = {"OUT OF MEMORY  L1 full", "remaining after the failure: 512 MiB"})
        void findsTheErrorAmongTheCausesOfAnother(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                throw new IllegalStateException("the layer has no memory", error);
            }
        }

        @Test
        @MustFail(published = {"OUT OF MEMORY  L1 full", "remaining after the failure: 512 MiB"})
        void findsTheErrorAmongSeveral(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                throw new MultipleFailuresError("layers", List.of(new AssertionFailedError("the first layer"), error));
            }
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "LEAK  512 MiB")
        void leavesOutAnErrorThatTheTestExpected(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                return;
            }
        }

        @Test
        @MustFail(published = "LEAK  512 MiB")
        void leavesOutAnErrorOfTheCleanUp(MeshDevice mesh) {
            AssertionFailedError failure = new AssertionFailedError("the scores differ");
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                failure.addSuppressed(error);
            }
            throw failure;
        }

        private static void fill(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class FullSharedMeshTestCase {

        @MustLeak
        void culprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }

        @Test
        @MustFail(
                error = DeviceOutOfMemoryException.class,
                text = {"LeakingTests.java:", ", by LeakingTests$FullSharedMeshTestCase#culprit"})
        void theErrorOfTheVictimNamesTheCulprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }
    }

    // A replay that overwrites a buffer fails the test, unless an entry permits it

    @TrackAllocations
    static class ReplayTestCase {

        @Test
        @MustFail(
                verdict = Outcome.OVERWRITTEN,
                frame = "LeakingTests.staging",
                text = {
                    "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay of trace 0 of mesh 0; allocated in LeakingTests.java:NN",
                    "why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 4 KiB \"scores\"",
                    "over  at dev.meshguard.junit.LeakingTests.captured(",
                    "origin = \"LeakingTests.staging\", overwritten = true, because",
                    "rerun   mvn test -Dtest='LeakingTests$ReplayTestCase#namesTheBufferTheTraceAndTheLines'"
                })
        void namesTheBufferTheTraceAndTheLines(MeshDevice mesh) {
            replayOver(mesh);
        }

        @Test
        @ExpectBuffers(label = "staging", exactly = 8, overwritten = true, because = "written before each use")
        void permitsWhatAnEntryPermits(MeshDevice mesh) {
            replayOver(mesh);
        }

        @Test
        @ExpectBuffers(label = "staging", atLeast = 1, overwritten = true, because = "written before each use")
        @MustFail(text = "no survivor matches")
        void failsForAnEntryThatPermitsNothing(MeshDevice mesh) {
            staging(mesh).deallocate();
        }
    }

    /** The first test permits what the first trace does; the second one replays another. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    @MustFail(text = "why   each replay of trace 1 of mesh 0 writes there")
    static class ReplayOnSharedMeshTestCase {

        private static MeshBuffer staging;
        private static TraceId second;

        @Test
        @ExpectBuffers(label = "staging", because = "the next test frees it")
        @ExpectBuffers(label = "staging", overwritten = true, because = "not read in this test")
        void allowsWhatItReports(MeshDevice mesh) {
            TraceId first = captured(mesh);
            second = captured(mesh);
            staging = staging(mesh);
            mesh.replayMeshTrace(0, first, Blocking.BLOCKING);
            mesh.releaseMeshTrace(first);
        }

        @Test
        void failsTheClassForATraceThatNoTestReported(MeshDevice mesh) {
            mesh.replayMeshTrace(0, second, Blocking.BLOCKING);
            staging.deallocate();
            mesh.releaseMeshTrace(second);
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class NoLeaksTestCase {

        @Test
        @Publishes("OVERWRITTEN  ")
        void isNoFailureOfACheckForLeaksButIsPublished(MeshDevice mesh) {
            replayOver(mesh);
        }
    }

    private static void replayOver(MeshDevice mesh) {
        TraceId trace = captured(mesh);
        MeshBuffer staging = staging(mesh);
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
        staging.deallocate();
        mesh.releaseMeshTrace(trace);
    }

    private static TraceId captured(MeshDevice mesh) {
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.allocate(BufferConfig.of(BufferType.DRAM, 4_096, 2_048).named("scores"))
                .deallocate();
        mesh.endMeshTrace(0, trace, 1_000);
        return trace;
    }

    private static MeshBuffer staging(MeshDevice mesh) {
        return mesh.allocate(BufferConfig.of(BufferType.DRAM, 2_048, 2_048).named("staging"));
    }
}
