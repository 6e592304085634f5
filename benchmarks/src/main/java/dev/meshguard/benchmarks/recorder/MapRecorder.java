package dev.meshguard.benchmarks.recorder;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The simplest recorder: a concurrent map from address to entry, with or without a stack in the entry. */
final class MapRecorder implements Recorder {

    private record Key(int device, BufferType type, long address) {}

    private record Entry(
            long size, BufferLifetime lifetime, @Nullable Throwable stack) {}

    private final ConcurrentMap<Key, Entry> live = new ConcurrentHashMap<>();
    private final Supplier<@Nullable Throwable> stack;

    MapRecorder(Supplier<@Nullable Throwable> stack) {
        this.stack = stack;
    }

    @Override
    public Lane lane(int device, int buffers) {
        long[] addresses = Addresses.shuffled(buffers);
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                live.put(
                        new Key(device, BufferType.DRAM, addresses[buffer]),
                        new Entry(4_096, BufferLifetime.USER, stack.get()));
            }

            @Override
            public void free(int buffer) {
                live.remove(new Key(device, BufferType.DRAM, addresses[buffer]));
            }
        };
    }
}
