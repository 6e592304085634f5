package dev.meshguard.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.internal.LiveEntries.Entry;
import dev.meshguard.tracker.Seed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LiveEntriesTests {

    private static final AllocationDetails MESH =
            AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH);
    private static final AllocationDetails OTHER_MESH =
            AllocationDetails.user().onMesh(1).fromAllocator(AllocatorId.MESH);
    private static final AllocationDetails DEVICE = AllocationDetails.user().fromAllocator(AllocatorId.DEVICE);

    private final LiveEntries entries = new LiveEntries();

    private record Key(BufferType type, long address, AllocationDetails allocator) {}

    private record Known(long size, BufferLifetime lifetime, int reports, MemoryRequest request) {

        private static Known of(Entry entry) {
            return new Known(entry.size, entry.lifetime(), entry.reports, entry.request);
        }
    }

    /** Few addresses make collisions and reuse; many make the table grow. */
    @ParameterizedTest
    @ValueSource(ints = {3, 40, 4_000})
    void agreeWithAHashMap(int addresses) {
        Seed seed = Seed.next();
        Random random = seed.random();
        Map<Key, Known> model = new HashMap<>();

        for (int step = 0; step < 30_000; step++) {
            Key key = randomKey(random, addresses);
            Entry entry = find(key);
            assertThat(entry == null ? null : Known.of(entry))
                    .describedAs("%s at step %d, %s", key, step, seed)
                    .isEqualTo(model.get(key));
            if (random.nextInt(100) < 52) {
                allocate(model, key, entry, random);
            } else if (entry != null) {
                free(model, key, entry);
            }
        }

        assertThat(entries.count()).describedAs(seed.toString()).isEqualTo(model.size());
        model.forEach((key, known) -> {
            assertThat(Known.of(find(key))).describedAs(seed.toString()).isEqualTo(known);
            entries.remove(find(key));
        });
        assertThat(entries.count()).describedAs(seed.toString()).isZero();
    }

    @Test
    void takeAReportThatNamesNoAllocatorForTheOldestEntryThatMayBeIt() {
        entries.add(BufferType.L1, 64, 1, MemoryRequest.of(MESH));
        entries.add(BufferType.L1, 64, 2, MemoryRequest.of(DEVICE));

        for (AllocationDetails unclear :
                List.of(AllocationDetails.user(), AllocationDetails.user().onMesh(0))) {
            assertThat(entries.find(BufferType.L1, 64, unclear).size).isOne();
        }
        assertThat(entries.find(BufferType.L1, 64, DEVICE).size).isEqualTo(2);
        assertThat(entries.isHeldByAnother(BufferType.L1, 64, DEVICE)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void takeAnyAddress(long address) {
        entries.add(BufferType.DRAM, address, 64, null);

        assertThat(entries.find(BufferType.DRAM, address, AllocationDetails.user()))
                .isNotNull();
    }

    private Entry find(Key key) {
        return entries.find(key.type(), key.address(), key.allocator());
    }

    private void allocate(Map<Key, Known> model, Key key, Entry entry, Random random) {
        if (entry != null) {
            Known before = model.get(key);
            entry.repeat(key.allocator());
            entry.reports++;
            model.put(key, new Known(before.size(), before.lifetime(), before.reports() + 1, before.request()));
            return;
        }
        long size = random.nextInt(1 << 20);
        BufferLifetime lifetime = BufferLifetime.values()[random.nextInt(3)];
        MemoryRequest request =
                MemoryRequest.of(key.allocator().labelled("request " + size).withLifetime(lifetime));
        entries.add(key.type(), key.address(), size, request);
        model.put(key, new Known(size, lifetime, 1, request));
    }

    private void free(Map<Key, Known> model, Key key, Entry entry) {
        if (entry.reports == 1) {
            entries.remove(entry);
            model.remove(key);
        } else {
            Known before = model.get(key);
            entry.reports--;
            model.put(key, new Known(before.size(), before.lifetime(), before.reports() - 1, before.request()));
        }
    }

    private static Key randomKey(Random random, int addresses) {
        BufferType[] types = BufferType.values();
        return new Key(
                types[random.nextInt(types.length)],
                32L * random.nextInt(addresses),
                List.of(MESH, OTHER_MESH, DEVICE).get(random.nextInt(3)));
    }
}
