package dev.meshguard.samples.first;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import org.junit.jupiter.api.Test;

/** A table that is expected to remain allocated, with a bound and a reason. */
@TrackAllocations
class PersistentBufferTests {

    @Test
    @ExpectBuffers(
            type = BufferType.DRAM,
            label = "rotary table",
            atMost = 8,
            because = "one table a device is shared by all models of the process")
    void keepsTheRotaryTable(Ttnn ttnn, MeshDevice mesh) {
        ttnn.empty(TensorSpec.of(TensorShape.of(1024, 128), DataType.BFLOAT16).named("rotary table"), mesh);
        Tensor activations = ttnn.empty(TensorShape.of(32, 128), DataType.BFLOAT16, mesh);
        ttnn.deallocate(activations);
    }
}
