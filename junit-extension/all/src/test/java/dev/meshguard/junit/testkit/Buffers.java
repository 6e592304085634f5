package dev.meshguard.junit.testkit;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;

/** Allocates memory for test classes that run inside a test. */
public final class Buffers {

    private Buffers() {}

    /** Returns a buffer of 4 KiB of DRAM on each device. */
    public static MeshBuffer take(MeshDevice mesh) {
        return mesh.allocate(BufferConfig.of(BufferType.DRAM, 4_096, 4_096));
    }

    /** Returns a buffer of 4 KiB of DRAM on each device, with a label. */
    public static MeshBuffer take(MeshDevice mesh, String label) {
        return mesh.allocate(BufferConfig.of(BufferType.DRAM, 4_096, 4_096).named(label));
    }

    /** Adds tensors on a mesh, which caches the program, and frees them. */
    public static void addAndFree(MeshDevice mesh, Ttnn ttnn) {
        Tensor tensor = ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(tensor, tensor));
        ttnn.deallocate(tensor);
    }
}
