package dev.meshguard.example.spring;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** A bean forgets what it allocates on the mesh of the test; the build has to fail. Run with {@code -Dtest=LeakingCacheTestCase}. */
@TrackAllocations
@SpringBootTest(classes = {CacheService.class, DeviceOfTest.class})
class LeakingCacheTestCase {

    @Autowired
    private CacheService service;

    @BeforeEach
    void bind(@Autowired DeviceOfTest device, MeshDevice mesh) {
        device.bind(mesh);
    }

    @Test
    void leaks() {
        service.decodeAndForget();
    }
}
