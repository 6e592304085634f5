package dev.meshguard.example.natives;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.util.Base64;
import java.util.Map;

/** A model of ONNX Runtime. */
final class Scorer implements AutoCloseable {

    /** One operator, {@code Identity}, on two floats. */
    private static final String MODEL =
            "CAg6NwoQCgF4EgF5IghJZGVudGl0eRIBZ1oPCgF4EgoKCAgBEgQKAggCYg8KAXkSCgoICAESBAoCCAJCAhAN";

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    private final OrtSession session;

    Scorer() throws OrtException {
        session = environment.createSession(Base64.getDecoder().decode(MODEL), options);
    }

    float[] scoreAndForget(float... input) throws OrtException {
        OnnxTensor tensor = OnnxTensor.createTensor(environment, input);
        return (float[]) session.run(Map.of("x", tensor)).get(0).getValue();
    }

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
