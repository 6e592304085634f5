package dev.meshguard.samples.errorpaths;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.mesh.FailedAllocation;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.tensor.DataType;
import java.util.Optional;
import org.assertj.core.api.Assertions;

/** Every allocation of a test fails once; what {@link CarelessDecoderTestCase} prints is in {@code docs/mesh-fake.md}. */
@TrackAllocations
@FakeMesh(rows = 1, columns = 2)
class ErrorPathTests {

    @FailEachAllocation
    void freesEverythingWhicheverAllocationFails(Ttnn ttnn, MeshDevice mesh) {
        CarefulDecoder.decode(ttnn, mesh);
    }

    @FailEachAllocation(lasting = true)
    void freesEverythingWhereMemoryStaysFull(Ttnn ttnn, MeshDevice mesh) {
        CarefulDecoder.decode(ttnn, mesh);
    }

    // region: without-cache
    @FailEachAllocation
    void doesWithoutACacheThatDoesNotFit(Ttnn ttnn, MeshDevice mesh, FailedAllocation failed) {
        Optional<Tensor> cache = cache(ttnn, mesh);

        Assertions.assertThat(cache.isPresent()).isEqualTo(!failed.hasHappened());
        cache.ifPresent(ttnn::deallocate);
    }
    // end region

    private static Optional<Tensor> cache(Ttnn ttnn, MeshDevice mesh) {
        try {
            return Optional.of(ttnn.empty(CarelessDecoder.CACHE, DataType.BFLOAT16, mesh));
        } catch (DeviceOutOfMemoryException full) {
            return Optional.empty();
        }
    }
}
