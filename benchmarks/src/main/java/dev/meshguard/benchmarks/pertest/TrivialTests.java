package dev.meshguard.benchmarks.pertest;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;

/**
 * The same empty test under each extension.
 *
 * <p>A repetition is a test for the engine: it has its own instance, store and callbacks.
 */
final class TrivialTests {

    static final int TESTS = 10_000;

    private TrivialTests() {}

    /** No extension. */
    static class Bare {
        @RepeatedTest(TESTS)
        void passes() {}
    }

    /** Mockito's extension with one mock. */
    @ExtendWith(MockitoExtension.class)
    static class MockitoWithMock {

        @Mock
        @Nullable
        Supplier<List<String>> mock;

        @RepeatedTest(TESTS)
        void passes() {}
    }

    /** MeshGuard with a mesh of eight devices, opened, closed and checked. */
    @TrackAllocations
    static class MeshGuardWithMesh {
        @RepeatedTest(TESTS)
        void passes(MeshDevice mesh) {}
    }

    /** MeshGuard with a mesh of eight devices and a tensor on all of them. */
    @TrackAllocations
    static class MeshGuardWithTensor {
        @RepeatedTest(TESTS)
        void passes(MeshDevice mesh, Ttnn ttnn) {
            Tensor tensor = ttnn.empty(TensorShape.of(8, 8, 512, 512), DataType.BFLOAT16, mesh);
            ttnn.deallocate(tensor);
        }
    }
}
