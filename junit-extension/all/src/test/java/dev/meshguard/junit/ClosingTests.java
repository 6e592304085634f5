package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opentest4j.MultipleFailuresError;

/** The extension closes what the test left open, and does not change what the test closed itself. */
class ClosingTests {

    @Test
    void aMeshThatWasLeftOpenIsClosedWithoutItsCachedPrograms() {
        assertThat(run(LeftOpenTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aMeshThatTheTestClosesKeepsItsCachedPrograms() {
        assertThat(run(ClosedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("fix   Call mesh.disableAndClearProgramCache() before"
                        + " ttnn.closeMeshDevice(mesh): closing a mesh does not clear the program cache.");
    }

    /** Its survivors would not be checked. */
    @Test
    void aTtnnThatIsKeptInAFieldOpensNothingForTheNextTest() {
        assertThat(run(KeptTtnnTestCase.class))
                .hasTest("uses")
                .whichFailed()
                .with(
                        IllegalStateException.class,
                        "Cannot open a 2x4 mesh: this Ttnn belonged to ClosingTests$KeptTtnnTestCase#keeps, which is over"
                                + " and was checked. Ask for a Ttnn where you use it.");
    }

    @Test
    void meshesThatTheTestOpensAreTrackedAndClosedToo() {
        assertThat(run(OpenedByHandTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("""
                        note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                        note    mesh 1 was still open; MeshGuard cleared its program cache and closed it
                        """);
    }

    @Test
    void aMeshThatWasOpenedPastTheExtensionHasToBeClosedByTheTest() {
        assertThat(run(OpenedElsewhereTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.INCONCLUSIVE)
                .withTextContaining("is still open, so its buffers may still be freed. Close it before the check.");
    }

    /** The memory of the session is closed and checked nevertheless. */
    @Test
    void partsThatCannotBeEndedHideNoLeak() {
        assertThat(run(UnendedPartsTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(MultipleFailuresError.class)
                .withTextContaining("the parts cannot be ended")
                .withTextContaining("LEAK  ");
    }

    @TrackAllocations
    static class LeftOpenTestCase {
        @Test
        void decode(MeshDevice mesh, Ttnn ttnn) {
            addAndFree(mesh, ttnn);
        }
    }

    @TrackAllocations
    static class ClosedTestCase {
        @Test
        void decode(MeshDevice mesh, Ttnn ttnn) {
            addAndFree(mesh, ttnn);
            ttnn.closeMeshDevice(mesh);
        }
    }

    @TrackAllocations
    static class OpenedByHandTestCase {
        @Test
        void decode(Ttnn ttnn) {
            MeshDevice single = ttnn.openMeshDevice(MeshShape.of(1, 1));
            MeshDevice closed = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(1, 1))
                    .withPhysicalDeviceIds(5));
            Buffers.take(single);
            Buffers.take(closed).deallocate();
        }
    }

    @TrackAllocations
    static class OpenedElsewhereTestCase {
        @Test
        void decode(AllocationTracker tracker) {
            Ttnn.create(tracker).openMeshDevice();
        }
    }

    private static void addAndFree(MeshDevice mesh, Ttnn ttnn) {
        Tensor a = ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(a, a));
        ttnn.deallocate(a);
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class KeptTtnnTestCase {
        private static Ttnn kept;

        @Test
        void keeps(Ttnn ttnn) {
            kept = ttnn;
        }

        @Test
        void uses() {
            Buffers.take(kept.openMeshDevice());
        }
    }

    static class UnendedPartsTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().source(new UnendedParts()).build();

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    /** The fake mesh with parts that cannot be ended. */
    private record UnendedParts() implements SourceSettings {

        @Override
        public AllocationSource source() {
            return new FakeMeshSource();
        }

        @Override
        public boolean isShareable() {
            return true;
        }

        @Override
        public SourceSession begin(SourceContext context) {
            SourceSession mesh = FakeMeshSource.builder().build().begin(context);
            return new SourceSession() {
                @Override
                public Object resolve(Class<?> type) {
                    return mesh.resolve(type);
                }

                @Override
                public List<SourcePart> endParts() {
                    throw new IllegalStateException("the parts cannot be ended");
                }

                @Override
                public void close() {
                    mesh.close();
                }
            };
        }
    }
}
