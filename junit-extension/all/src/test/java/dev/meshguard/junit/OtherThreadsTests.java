package dev.meshguard.junit;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.verdict.Outcome;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Meshes opened through the {@link Ttnn} of a test belong to that test, on every thread.
 *
 * <p>The thread does not matter: a mesh belongs to a runtime, and the runtime to a test. This includes threads of a
 * pool that tests share.
 */
class OtherThreadsTests implements WithFixtures {

    /** Code under test. */
    private static final class Model {
        static void load(Ttnn ttnn) {
            Buffers.take(ttnn.openMeshDevice(MeshShape.of(1, 1)));
        }
    }

    @TrackAllocations
    static class HelperTestCase {
        @Test
        @MustFail(verdict = Outcome.LEAKED, frame = "Model.load", text = """
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                note    mesh 1 was still open; MeshGuard cleared its program cache and closed it
                """)
        void aMeshThatAHelperOpensOnAnotherThreadIsCheckedAndClosed(MeshDevice mesh, Ttnn ttnn) {
            CompletableFuture.runAsync(() -> Model.load(ttnn)).join();
        }
    }
}
