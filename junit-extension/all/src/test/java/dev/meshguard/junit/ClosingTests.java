package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opentest4j.MultipleFailuresError;

/** The extension closes what the test left open, and does not change what the test closed itself. */
class ClosingTests implements WithFixtures {

    @TrackAllocations
    static class TrackedTestCase {
        @Test
        void aMeshThatWasLeftOpenIsClosedWithoutItsCachedPrograms(MeshDevice mesh, Ttnn ttnn) {
            addAndFree(mesh, ttnn);
        }

        @Test
        @MustFail(
                verdict = Outcome.LEAKED,
                text = "fix   Call mesh.disableAndClearProgramCache() before"
                        + " ttnn.closeMeshDevice(mesh): closing a mesh does not clear the program cache.")
        void aMeshThatTheTestClosesKeepsItsCachedPrograms(MeshDevice mesh, Ttnn ttnn) {
            addAndFree(mesh, ttnn);
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

        /** Its survivors would not be checked. */
        @Test
        @MustFail(
                error = IllegalStateException.class,
                message =
                        "Cannot open a 2x4 mesh: this Ttnn belonged to ClosingTests$KeptTtnnTestCase#keeps, which is over"
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
