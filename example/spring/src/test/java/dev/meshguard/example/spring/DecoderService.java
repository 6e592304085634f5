package dev.meshguard.example.spring;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import org.springframework.stereotype.Service;

/** The code under test, as a bean. */
@Service
class DecoderService {

    Tensor decode(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
