package dev.meshguard.example.spring;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/**
 * The beans get their memory from a bean that each test binds to its mesh. Spring resolves the parameters of the constructor that it
 * autowires, MeshGuard those of the other methods.
 */
@TrackAllocations
@SpringBootTest(classes = {CacheService.class, DeviceOfTest.class})
class CacheServiceTests {

    private final CacheService service;

    @Autowired
    CacheServiceTests(CacheService service) {
        this.service = service;
    }

    @BeforeEach
    void bind(@Autowired DeviceOfTest device, MeshDevice mesh) {
        device.bind(mesh);
    }

    @Test
    void freesWhatItAllocates() {
        service.decode();
    }
}
