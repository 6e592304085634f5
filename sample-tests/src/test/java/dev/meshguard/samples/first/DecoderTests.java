package dev.meshguard.samples.first;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.Test;

@TrackAllocations
class DecoderTests {

    @Test
    void freesWhatItAllocates(Ttnn ttnn, MeshDevice mesh) {
        TensorShape shape = TensorShape.of(8, 8, 512, 512);
        TensorDistribution overTheMesh = TensorDistribution.sharded2d(0, 1);
        Tensor weights = ttnn.empty(shape, DataType.BFLOAT16, mesh, overTheMesh);
        Tensor tokens = ttnn.empty(shape, DataType.BFLOAT16, mesh, overTheMesh);
        Tensor sum = ttnn.add(weights, tokens);

        ttnn.deallocate(sum);
        ttnn.deallocate(tokens);
        ttnn.deallocate(weights);
    }
}
