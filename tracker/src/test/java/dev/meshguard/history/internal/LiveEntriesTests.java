package dev.meshguard.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LiveEntriesTests {

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    private static final int FIRST_CAPACITY = 16;

    private record Key(BufferType type, long address, int allocator) {}

    private record Entry(long size, BufferLifetime lifetime, int reports, MemoryRequest request) {}

    /** Few addresses make collisions and reuse; many make the table grow. */
    @ParameterizedTest
    @ValueSource(ints = {3, 40, 4_000})
    void agreesWithAHashMap(int addresses) {
        Seed seed = Seed.next();
        Random random = seed.random();
        AllocatorNumbers allocators = new AllocatorNumbers();
        List<Integer> three = List.of(
                allocators.of(
                        MemoryRequest.of(AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH))),
                allocators.of(
                        MemoryRequest.of(AllocationDetails.user().onMesh(1).fromAllocator(AllocatorId.MESH))),
                allocators.of(MemoryRequest.of(AllocationDetails.user().fromAllocator(AllocatorId.DEVICE))));
        LiveEntries entries = new LiveEntries(allocators);
        Map<Key, Entry> model = new HashMap<>();

        for (int step = 0; step < 30_000; step++) {
            Key key = randomKey(random, addresses, three);
            int slot = entries.find(key.type(), key.address(), key.allocator());
            Entry known = model.get(key);
            assertThat(slot >= 0)
                    .describedAs("%s at step %d, %s", key, step, seed)
                    .isEqualTo(known != null);
            if (random.nextInt(100) < 52) {
                allocate(entries, model, key, slot, step, random);
            } else if (known != null) {
                free(entries, model, key, slot, known);
            }
        }

        assertThat(entries.entries()).describedAs(seed.toString()).isEqualTo(model.size());
        assertThat(removed(entries, model.keySet()))
                .describedAs(seed.toString())
                .isEqualTo(model);
        assertThat(entries.entries()).describedAs(seed.toString()).isZero();
    }

    @Test
    void keepsEntriesThatRunOverTheEndOfTheTableWhenOneBeforeTheEndGoes() {
        List<Long> addresses = addressesAtHome(BufferType.DRAM, FIRST_CAPACITY - 1, 5);
        LiveEntries entries = filled(addresses);

        entries.remove(entries.find(BufferType.DRAM, addresses.get(0), 0));

        assertThat(foundIn(entries, addresses)).isEqualTo(addresses.subList(1, 5));
    }

    @Test
    void keepsAnEntryAtHomeBehindTheEndWhenOneBeforeTheEndGoes() {
        List<Long> last = addressesAtHome(BufferType.DRAM, FIRST_CAPACITY - 1, 2);
        List<Long> first = addressesAtHome(BufferType.DRAM, 0, 1);
        List<Long> addresses = List.of(last.get(0), last.get(1), first.get(0));
        LiveEntries entries = filled(addresses);

        entries.remove(entries.find(BufferType.DRAM, last.get(0), 0));

        assertThat(foundIn(entries, addresses)).containsExactly(last.get(1), first.get(0));
    }

    @Test
    void growsWithARunOverTheEndOfTheTable() {
        List<Long> addresses = addressesAtHome(BufferType.DRAM, FIRST_CAPACITY - 1, 40);

        LiveEntries entries = filled(addresses);

        assertThat(foundIn(entries, addresses)).isEqualTo(addresses);
        assertThat(entries.entries()).isEqualTo(40);
    }

    @Test
    void takesAReportThatNamesNoAllocatorForTheEntryOfTheLowestNumberThatMayBeIt() {
        AllocatorNumbers allocators = new AllocatorNumbers();
        int mesh = allocators.of(
                MemoryRequest.of(AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH)));
        int device = allocators.of(MemoryRequest.of(AllocationDetails.user().fromAllocator(AllocatorId.DEVICE)));
        int anyOfTheMesh =
                allocators.of(MemoryRequest.of(AllocationDetails.user().onMesh(0)));
        LiveEntries entries = new LiveEntries(allocators);
        for (int allocator : List.of(device, mesh)) {
            int free = ~entries.find(BufferType.L1, 64, allocator);
            entries.insert(free, BufferType.L1, BufferLifetime.USER, 64, allocator, allocator, null);
        }

        assertThat(entries.entries()).isEqualTo(2);
        for (int unclear : List.of(AllocatorNumbers.UNKNOWN, anyOfTheMesh)) {
            assertThat(entries.size(entries.find(BufferType.L1, 64, unclear))).isEqualTo(mesh);
        }
        assertThat(entries.size(entries.find(BufferType.L1, 64, device))).isEqualTo(device);
        assertThat(entries.isHeldByAnother(BufferType.L1, 64, device)).isTrue();
    }

    @Test
    void distinguishesTypesOfOneAddress() {
        LiveEntries entries = new LiveEntries(new AllocatorNumbers());
        for (BufferType type : BufferType.values()) {
            entries.insert(~entries.find(type, 0x1000, 0), type, BufferLifetime.USER, 0x1000, 0, type.code(), null);
        }

        for (BufferType type : BufferType.values()) {
            int slot = entries.find(type, 0x1000, 0);
            assertThat(entries.size(slot)).isEqualTo(type.code());
        }
    }

    @Test
    void takesAnyAddress() {
        List<Long> addresses = List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE);

        LiveEntries entries = filled(addresses);

        assertThat(foundIn(entries, addresses)).isEqualTo(addresses);
    }

    private static void allocate(
            LiveEntries entries, Map<Key, Entry> model, Key key, int slot, int step, Random random) {
        if (slot >= 0) {
            entries.repeat(slot, key.allocator());
            model.computeIfPresent(
                    key, (unused, old) -> new Entry(old.size(), old.lifetime(), old.reports() + 1, old.request()));
            return;
        }
        long size = random.nextInt(1 << 20);
        BufferLifetime lifetime = BufferLifetime.values()[random.nextInt(3)];
        MemoryRequest request = MemoryRequest.of(AllocationDetails.user().labelled("request " + step));
        entries.insert(~slot, key.type(), lifetime, key.address(), key.allocator(), size, request);
        model.put(key, new Entry(size, lifetime, 1, request));
    }

    private static void free(LiveEntries entries, Map<Key, Entry> model, Key key, int slot, Entry known) {
        assertThat(entries.reports(slot)).isEqualTo(known.reports());
        if (known.reports() == 1) {
            entries.remove(slot);
            model.remove(key);
        } else {
            entries.release(slot);
            model.put(key, new Entry(known.size(), known.lifetime(), known.reports() - 1, known.request()));
        }
    }

    private static Key randomKey(Random random, int addresses, List<Integer> allocators) {
        BufferType[] types = BufferType.values();
        return new Key(
                types[random.nextInt(types.length)],
                32L * random.nextInt(addresses),
                allocators.get(random.nextInt(allocators.size())));
    }

    /** Removes all entries and returns them. */
    private static Map<Key, Entry> removed(LiveEntries entries, Set<Key> keys) {
        Map<Key, Entry> removed = new HashMap<>();
        for (Key key : keys) {
            int slot = entries.find(key.type(), key.address(), key.allocator());
            long size = entries.size(slot);
            BufferLifetime lifetime = entries.lifetime(slot);
            MemoryRequest request = entries.request(slot);
            removed.put(key, new Entry(size, lifetime, entries.reports(slot), request));
            entries.remove(slot);
        }
        return removed;
    }

    private static LiveEntries filled(List<Long> addresses) {
        LiveEntries entries = new LiveEntries(new AllocatorNumbers());
        for (long address : addresses) {
            int free = ~entries.find(BufferType.DRAM, address, 0);
            entries.insert(free, BufferType.DRAM, BufferLifetime.USER, address, 0, 64, null);
        }
        return entries;
    }

    private static List<Long> foundIn(LiveEntries entries, List<Long> addresses) {
        return addresses.stream()
                .filter(address -> entries.find(BufferType.DRAM, address, 0) >= 0)
                .toList();
    }

    /** Addresses whose home slot in the first table is the given one. */
    private static List<Long> addressesAtHome(BufferType type, int home, int count) {
        int shift = Long.numberOfLeadingZeros(FIRST_CAPACITY) + 1;
        return new ArrayList<>(LongStream.iterate(0, address -> address + 32)
                .filter(address -> (int) (((address + type.ordinal()) * SPREAD) >>> shift) == home)
                .limit(count)
                .boxed()
                .toList());
    }
}
