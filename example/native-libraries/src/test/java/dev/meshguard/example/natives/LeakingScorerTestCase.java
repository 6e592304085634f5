package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
@TrackCloseables({OnnxTensor.class, OrtSession.class, OrtSession.Result.class, OrtSession.SessionOptions.class})
class LeakingScorerTestCase {

    @Test
    void dropsItsHandles() throws OrtException {
        try (Scorer scorer = new Scorer()) {
            assertArrayEquals(new float[] {1, 2}, scorer.score(1, 2));
        }
    }
}
