package dev.meshguard.samples.first;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.samples.support.Fixture;
import org.junit.jupiter.api.Test;

/** One buffer more than the bound allows is a leak. */
@Fixture
@TrackAllocations
class TwoTablesTestCase {

    @Test
    @ExpectBuffers(type = BufferType.DRAM, label = "rotary table", atMost = 8, because = "one table a device is shared")
    void keepsTwoTables(Ttnn ttnn, MeshDevice mesh) {
        TensorSpec table =
                TensorSpec.of(TensorShape.of(1024, 128), DataType.BFLOAT16).named("rotary table");
        ttnn.empty(table, mesh);
        ttnn.empty(table, mesh);
    }
}
