package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A resource that is kept across tests needs a mesh that lasts as long.
 *
 * <p>Spring keeps its contexts beyond a test, and a model may keep its weights. On the mesh of a test that is a leak,
 * and the next test cannot use the kept buffers. On a shared mesh they belong to the code that fills the cache: a
 * {@code @BeforeAll} method for the class, else the first test, for which an expectation gives the reason.
 */
class CachedResourcesTests implements WithFixtures {

    @Test
    void onASharedMeshItIsTheFirstTestsThatFillsIt() {
        assertThat(run(LazyCase.class)).hasOnlyFailed("first(MeshDevice)");
    }

    /** Keeps one buffer for all callers. */
    static final class Weights {
        private @Nullable MeshBuffer loaded;

        void use(MeshDevice mesh) {
            if (loaded == null) {
                loaded = Buffers.take(mesh, "weights");
            }
        }

        void unload() {
            if (loaded != null) {
                loaded.deallocate();
                loaded = null;
            }
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    abstract static class Using {
        static Weights weights = new Weights();

        @BeforeAll
        static void begins() {
            weights = new Weights();
        }

        @Test
        void first(MeshDevice mesh) {
            weights.use(mesh);
        }

        @Test
        void second(MeshDevice mesh) {
            weights.use(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class LazyCase extends Using {}

    /** Filled for the class it is no test's. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class EagerTestCase extends Using {
        @BeforeAll
        static void loads(MeshDevice mesh) {
            weights.use(mesh);
        }

        @AfterAll
        static void unloads() {
            weights.unload();
        }
    }

    /** With a reason it is expected wherever it is filled. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @ExpectBuffers(label = "weights", because = "loaded once for all tests")
    static class ExpectedTestCase extends Using {}
}
