package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingTensorTestCase {

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private OnnxTensor input;

    @Test
    void keepsItsInput(NativeHandles handles) throws OrtException {
        OnnxTensor tensor = OnnxTensor.createTensor(environment, new float[] {1, 2});
        input = handles.track(tensor, OnnxTensor::isClosed, 2 * Float.BYTES);

        assertArrayEquals(new float[] {1, 2}, (float[]) input.getValue());
    }
}
