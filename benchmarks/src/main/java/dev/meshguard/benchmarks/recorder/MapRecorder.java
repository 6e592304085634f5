package dev.meshguard.benchmarks.recorder;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The simplest recorder: a concurrent map from address to entry. */
final class MapRecorder implements Recorder {

    private record Key(int device, BufferType type, long address) {}

    private record Entry(long size, BufferLifetime lifetime) {}

    private final ConcurrentMap<Key, Entry> live = new ConcurrentHashMap<>();

    @Override
    public Lane lane(int device, int buffers) {
        long[] addresses = Addresses.shuffled(buffers);
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                live.put(new Key(device, BufferType.DRAM, addresses[buffer]), new Entry(4_096, BufferLifetime.USER));
            }

            @Override
            public void free(int buffer) {
                live.remove(new Key(device, BufferType.DRAM, addresses[buffer]));
            }
        };
    }
}
