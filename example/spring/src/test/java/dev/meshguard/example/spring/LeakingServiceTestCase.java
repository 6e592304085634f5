package dev.meshguard.example.spring;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Nobody frees what the bean allocates; the build has to fail. Run with {@code -Dtest=LeakingServiceTestCase}. */
@TrackAllocations
@SpringBootTest(classes = DecoderService.class)
class LeakingServiceTestCase {

    @Autowired
    private DecoderService service;

    @Test
    void leaks(Ttnn ttnn, MeshDevice mesh) {
        service.decode(ttnn, mesh);
    }
}
