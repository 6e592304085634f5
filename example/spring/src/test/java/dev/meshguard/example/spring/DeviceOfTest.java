package dev.meshguard.example.spring;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;

/** A bean that outlives the tests, and allocates on the mesh of the test that has bound it: its check sees the buffers. */
final class DeviceOfTest implements CacheService.Device {

    private MeshDevice mesh;

    void bind(MeshDevice ofTest) {
        mesh = ofTest;
    }

    @Override
    public MeshBuffer allocate(long bytes) {
        return mesh.allocate(BufferType.DRAM, bytes);
    }
}
