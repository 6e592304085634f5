package dev.meshguard.benchmarks.pertest;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import io.github.nettyplus.leakdetector.junit.NettyLeakDetectorExtension;
import io.netty.buffer.ByteBufAllocator;
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

    /** For an extension that has the whole heap collected twice in every test. */
    static final int SLOW_TESTS = 500;

    private TrivialTests() {}

    /** No extension. */
    static class Bare {
        @RepeatedTest(TESTS)
        void passes() {}
    }

    /** Mockito's extension with nothing to mock. */
    @ExtendWith(MockitoExtension.class)
    static class Mockito {
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

    /** Mockito's extension with one mock, injected like a mesh: both include Jupiter's own search for a parameter resolver. */
    @ExtendWith(MockitoExtension.class)
    static class MockitoWithParameter {
        @RepeatedTest(TESTS)
        @SuppressWarnings("MockNotUsedInProduction") // What is measured is that it is made.
        void passes(@Mock Supplier<List<String>> mock) {}
    }

    /** The leak detector of nettyplus over an empty test. */
    @ExtendWith(NettyLeakDetectorExtension.class)
    static class Netty {
        @RepeatedTest(SLOW_TESTS)
        void passes() {}
    }

    /** The leak detector of nettyplus over a buffer, allocated and released. */
    @ExtendWith(NettyLeakDetectorExtension.class)
    static class NettyWithBuffer {
        @RepeatedTest(SLOW_TESTS)
        void passes() {
            ByteBufAllocator.DEFAULT.buffer(1_024).release();
        }
    }

    /** MeshGuard without a mesh. */
    @TrackAllocations
    static class MeshGuard {
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
