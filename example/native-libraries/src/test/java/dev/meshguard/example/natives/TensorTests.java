package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class TensorTests {

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @Test
    void closesItsTensor(NativeHandles handles) throws OrtException {
        float[] data = {1, 2};
        // region: recipe
        OnnxTensor input = handles.track(OnnxTensor.createTensor(environment, data), OnnxTensor::isClosed);
        // end region
        try (input) {
            assertArrayEquals(data, (float[]) input.getValue());
        }
    }
}
