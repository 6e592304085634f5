package dev.meshguard.example.natives;

import org.bytedeco.javacpp.IntPointer;

/** The code under test, which knows nothing of scopes. */
final class Samples {

    private Samples() {}

    static IntPointer ofLength(int length) {
        return new IntPointer(length);
    }
}
