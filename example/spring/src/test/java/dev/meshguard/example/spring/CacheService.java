package dev.meshguard.example.spring;

import dev.meshguard.mesh.MeshBuffer;
import org.springframework.stereotype.Service;

/** The code under test, with a device that Spring injects. */
@Service
class CacheService {

    /** What the application knows of a device. */
    interface Device {
        MeshBuffer allocate(long bytes);
    }

    private final Device device;

    CacheService(Device device) {
        this.device = device;
    }

    void decode() {
        device.allocate(4096).deallocate();
    }

    void decodeAndForget() {
        device.allocate(4096);
    }
}
