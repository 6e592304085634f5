package dev.meshguard.samples.tutorial;

import static dev.meshguard.event.BufferType.DRAM;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.Test;

@TrackAllocations
class WarmCacheTests {

    private Tensor systemPrompt;

    @Test
    @ExpectBuffers(
            type = DRAM,
            size = 1048576,
            atMost = 8,
            origin = "WarmCacheTests.keepsTheSystemPrompt",
            because = "the server keeps the system prompt until it ends")
    void keepsTheSystemPrompt(Ttnn ttnn, MeshDevice mesh) {
        systemPrompt = ttnn.empty(TensorShape.of(1, 8, 1024, 64), DataType.BFLOAT16, mesh);

        assertTrue(systemPrompt.isAllocated());
    }
}
