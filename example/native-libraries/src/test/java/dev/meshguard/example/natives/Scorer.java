package dev.meshguard.example.natives;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.util.Base64;
import java.util.Map;

/** A model of ONNX Runtime. It leaves its options, the session, each tensor and each result open. */
class Scorer implements AutoCloseable {

    /** One operator, {@code Identity}, on two floats. */
    private static final String MODEL =
            "CAg6NwoQCgF4EgF5IghJZGVudGl0eRIBZ1oPCgF4EgoKCAgBEgQKAggCYg8KAXkSCgoICAESBAoCCAJCAhAN";

    final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    final OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    final OrtSession session;

    Scorer() throws OrtException {
        session = environment.createSession(Base64.getDecoder().decode(MODEL), options);
    }

    float[] score(float... input) throws OrtException {
        OnnxTensor tensor = OnnxTensor.createTensor(environment, input);
        return (float[]) session.run(Map.of("x", tensor)).get(0).getValue();
    }

    @Override
    public void close() throws OrtException {}
}
