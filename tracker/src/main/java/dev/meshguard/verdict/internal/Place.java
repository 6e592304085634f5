package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.history.Anomaly;
import dev.meshguard.tracker.history.BufferGeneration;

/** An address in one memory of one device, whoever lies there. */
record Place(int device, BufferType type, long address) {

    static Place of(BufferGeneration buffer) {
        return new Place(buffer.device(), buffer.type(), buffer.address());
    }

    static Place of(Anomaly anomaly) {
        return new Place(anomaly.device(), anomaly.type(), anomaly.address());
    }
}
