package dev.meshguard.samples.bindings;

import java.util.ArrayList;
import java.util.List;

/** The code under test: it keeps the keys of each token until it is closed. */
final class Decoder implements AutoCloseable {

    private final Device device;
    private final List<Device.Memory> keys = new ArrayList<>();

    Decoder(Device device) {
        this.device = device;
    }

    void decode(int tokens) {
        for (int token = 0; token < tokens; token++) {
            try (Device.Memory scores = device.allocate(4096)) {
                scores.bytes().putInt(0, token);
                keys.add(device.allocate(8192));
            }
        }
    }

    @Override
    public void close() {
        keys.forEach(Device.Memory::close);
        keys.clear();
    }
}
