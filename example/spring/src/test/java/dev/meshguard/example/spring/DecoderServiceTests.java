package dev.meshguard.example.spring;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Spring resolves the parameters of the constructor that it autowires, MeshGuard those of the other methods. */
@TrackAllocations
@SpringBootTest(classes = DecoderService.class)
class DecoderServiceTests {

    private final DecoderService service;
    private MeshDevice mesh;

    @Autowired
    DecoderServiceTests(DecoderService service) {
        this.service = service;
    }

    @BeforeEach
    void keep(MeshDevice mesh) {
        this.mesh = mesh;
    }

    @Test
    void freesWhatItAllocates(Ttnn ttnn) {
        ttnn.deallocate(service.decode(ttnn, mesh));
    }
}
