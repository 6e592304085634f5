package dev.meshguard.example.natives;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.util.Map;

/** Closes all that it constructs. */
final class MendedScorer extends Scorer {

    MendedScorer() throws OrtException {}

    @Override
    float[] score(float... input) throws OrtException {
        try (OnnxTensor tensor = OnnxTensor.createTensor(environment, input);
                OrtSession.Result result = session.run(Map.of("x", tensor))) {
            return (float[]) result.get(0).getValue();
        }
    }

    @Override
    public void close() throws OrtException {
        session.close();
        options.close();
    }
}
