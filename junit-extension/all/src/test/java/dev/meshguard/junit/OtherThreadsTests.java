package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.verdict.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/**
 * Meshes opened through the {@link Ttnn} of a test belong to that test, on every thread.
 *
 * <p>The thread does not matter: a mesh belongs to a runtime, and the runtime to a test. This includes threads of a
 * pool that tests share.
 */
class OtherThreadsTests {

    @Test
    void aMeshThatAHelperOpensOnAnotherThreadIsCheckedAndClosed() {
        assertThat(run(HelperTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("""
                        note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                        note    mesh 1 was still open; MeshGuard cleared its program cache and closed it
                        """)
                .withFirstFrameIn(Model.class, "load");
    }

    @Test
    void testsThatUseOnePoolAreBlamedForTheirOwnOnly() {
        assertThat(runConcurrently(PoolTestCase.class)).hasOnlyFailed("leaks(MeshDevice)", "leaksToo(MeshDevice)");
    }

    /** Code under test. */
    private static final class Model {
        static void load(Ttnn ttnn) {
            Buffers.take(ttnn.openMeshDevice(MeshShape.of(1, 1)));
        }
    }

    @TrackAllocations
    static class HelperTestCase {
        @Test
        void loads(MeshDevice mesh, Ttnn ttnn) {
            CompletableFuture.runAsync(() -> Model.load(ttnn), newThreads()).join();
        }
    }

    private static Executor newThreads() {
        return task -> new Thread(task).start();
    }

    @TrackAllocations
    static class PoolTestCase {
        private static void take(MeshDevice mesh, boolean frees) {
            CompletableFuture.supplyAsync(() -> Buffers.take(mesh))
                    .thenAcceptAsync(buffer -> {
                        if (frees) {
                            buffer.deallocate();
                        }
                    })
                    .join();
        }

        @Test
        void leaks(MeshDevice mesh) {
            take(mesh, false);
        }

        @Test
        void isClean(MeshDevice mesh) {
            take(mesh, true);
        }

        @Test
        void leaksToo(MeshDevice mesh) {
            take(mesh, false);
        }

        @Test
        void isCleanToo(MeshDevice mesh) {
            take(mesh, true);
        }
    }
}
