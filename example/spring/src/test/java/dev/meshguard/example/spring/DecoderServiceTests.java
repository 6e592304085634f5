package dev.meshguard.example.spring;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** A bean is injected by Spring, the mesh by MeshGuard. */
@TrackAllocations
@SpringBootTest(classes = DecoderService.class)
class DecoderServiceTests {

    @Autowired
    private DecoderService service;

    @Test
    void freesWhatItAllocates(Ttnn ttnn, MeshDevice mesh) {
        ttnn.deallocate(service.decode(ttnn, mesh));
    }
}
