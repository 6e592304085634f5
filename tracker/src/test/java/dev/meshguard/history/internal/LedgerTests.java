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

class LedgerTests {

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    private static final int FIRST_CAPACITY = 16;

    private record Key(BufferType type, long address, int allocator) {}

    private record Entry(long size, BufferLifetime lifetime, long reports, MemoryRequest request) {}

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
        Ledger ledger = new Ledger(allocators);
        Map<Key, Entry> model = new HashMap<>();

        for (int step = 0; step < 30_000; step++) {
            Key key = randomKey(random, addresses, three);
            int slot = ledger.find(key.type(), key.address(), key.allocator());
            Entry known = model.get(key);
            assertThat(slot >= 0)
                    .describedAs("%s at step %d, %s", key, step, seed)
                    .isEqualTo(known != null);
            if (random.nextInt(100) < 52) {
                allocate(ledger, model, key, slot, step, random);
            } else if (known != null) {
                free(ledger, model, key, slot, known);
            }
        }

        assertThat(ledger.entries()).describedAs(seed.toString()).isEqualTo(model.size());
        assertThat(removed(ledger, model.keySet())).describedAs(seed.toString()).isEqualTo(model);
        assertThat(ledger.entries()).describedAs(seed.toString()).isZero();
    }

    @Test
    void keepsEntriesThatRunOverTheEndOfTheTableWhenOneBeforeTheEndGoes() {
        List<Long> addresses = addressesAtHome(BufferType.DRAM, FIRST_CAPACITY - 1, 5);
        Ledger ledger = filled(addresses);

        ledger.remove(ledger.find(BufferType.DRAM, addresses.get(0), 0));

        assertThat(foundIn(ledger, addresses)).isEqualTo(addresses.subList(1, 5));
    }

    @Test
    void keepsAnEntryAtHomeBehindTheEndWhenOneBeforeTheEndGoes() {
        List<Long> last = addressesAtHome(BufferType.DRAM, FIRST_CAPACITY - 1, 2);
        List<Long> first = addressesAtHome(BufferType.DRAM, 0, 1);
        List<Long> addresses = List.of(last.get(0), last.get(1), first.get(0));
        Ledger ledger = filled(addresses);

        ledger.remove(ledger.find(BufferType.DRAM, last.get(0), 0));

        assertThat(foundIn(ledger, addresses)).containsExactly(last.get(1), first.get(0));
    }

    @Test
    void growsWithARunOverTheEndOfTheTable() {
        List<Long> addresses = addressesAtHome(BufferType.DRAM, FIRST_CAPACITY - 1, 40);

        Ledger ledger = filled(addresses);

        assertThat(foundIn(ledger, addresses)).isEqualTo(addresses);
        assertThat(ledger.entries()).isEqualTo(40);
    }

    @Test
    void takesAReportThatNamesNoAllocatorForTheEntryOfTheLowestNumberThatMayBeIt() {
        AllocatorNumbers allocators = new AllocatorNumbers();
        int mesh = allocators.of(
                MemoryRequest.of(AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH)));
        int device = allocators.of(MemoryRequest.of(AllocationDetails.user().fromAllocator(AllocatorId.DEVICE)));
        int anyOfTheMesh =
                allocators.of(MemoryRequest.of(AllocationDetails.user().onMesh(0)));
        Ledger ledger = new Ledger(allocators);
        for (int allocator : List.of(device, mesh)) {
            int free = ~ledger.find(BufferType.L1, 64, allocator);
            ledger.insert(free, BufferType.L1, BufferLifetime.USER, 64, allocator, allocator, null);
        }

        assertThat(ledger.entries()).isEqualTo(2);
        for (int unclear : List.of(AllocatorNumbers.UNKNOWN, anyOfTheMesh)) {
            assertThat(ledger.size(ledger.find(BufferType.L1, 64, unclear))).isEqualTo(mesh);
        }
        assertThat(ledger.size(ledger.find(BufferType.L1, 64, device))).isEqualTo(device);
        assertThat(ledger.isHeldByAnother(BufferType.L1, 64, device)).isTrue();
    }

    @Test
    void distinguishesTypesOfOneAddress() {
        Ledger ledger = new Ledger(new AllocatorNumbers());
        for (BufferType type : BufferType.values()) {
            ledger.insert(~ledger.find(type, 0x1000, 0), type, BufferLifetime.USER, 0x1000, 0, type.code(), null);
        }

        for (BufferType type : BufferType.values()) {
            int slot = ledger.find(type, 0x1000, 0);
            assertThat(ledger.size(slot)).isEqualTo(type.code());
        }
    }

    @Test
    void takesAnyAddress() {
        List<Long> addresses = List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE);

        Ledger ledger = filled(addresses);

        assertThat(foundIn(ledger, addresses)).isEqualTo(addresses);
    }

    private static void allocate(Ledger ledger, Map<Key, Entry> model, Key key, int slot, int step, Random random) {
        if (slot >= 0) {
            ledger.repeat(slot, key.allocator());
            model.computeIfPresent(
                    key, (unused, old) -> new Entry(old.size(), old.lifetime(), old.reports() + 1, old.request()));
            return;
        }
        long size = random.nextInt(1 << 20);
        BufferLifetime lifetime = BufferLifetime.values()[random.nextInt(3)];
        MemoryRequest request = MemoryRequest.of(AllocationDetails.user().labelled("request " + step));
        ledger.insert(~slot, key.type(), lifetime, key.address(), key.allocator(), size, request);
        model.put(key, new Entry(size, lifetime, 1, request));
    }

    private static void free(Ledger ledger, Map<Key, Entry> model, Key key, int slot, Entry known) {
        long left = ledger.release(slot);
        assertThat(left).isEqualTo(known.reports() - 1);
        if (left == 0) {
            ledger.remove(slot);
            model.remove(key);
        } else {
            model.put(key, new Entry(known.size(), known.lifetime(), left, known.request()));
        }
    }

    private static Key randomKey(Random random, int addresses, List<Integer> allocators) {
        BufferType[] types = BufferType.values();
        return new Key(
                types[random.nextInt(types.length)],
                32L * random.nextInt(addresses),
                allocators.get(random.nextInt(allocators.size())));
    }

    /** Removes all entries from the ledger and returns what it held. */
    private static Map<Key, Entry> removed(Ledger ledger, Set<Key> keys) {
        Map<Key, Entry> entries = new HashMap<>();
        for (Key key : keys) {
            int slot = ledger.find(key.type(), key.address(), key.allocator());
            long size = ledger.size(slot);
            BufferLifetime lifetime = ledger.lifetime(slot);
            MemoryRequest request = ledger.request(slot);
            long reports = 1;
            while (ledger.release(slot) > 0) {
                reports++;
            }
            ledger.remove(slot);
            entries.put(key, new Entry(size, lifetime, reports, request));
        }
        return entries;
    }

    private static Ledger filled(List<Long> addresses) {
        Ledger ledger = new Ledger(new AllocatorNumbers());
        for (long address : addresses) {
            int free = ~ledger.find(BufferType.DRAM, address, 0);
            ledger.insert(free, BufferType.DRAM, BufferLifetime.USER, address, 0, 64, null);
        }
        return ledger;
    }

    private static List<Long> foundIn(Ledger ledger, List<Long> addresses) {
        return addresses.stream()
                .filter(address -> ledger.find(BufferType.DRAM, address, 0) >= 0)
                .toList();
    }

    /** Addresses whose home slot in the first table is the given one. */
    private static List<Long> addressesAtHome(BufferType type, int home, int count) {
        long key = 1 | ((long) type.ordinal() << 1);
        int shift = Long.numberOfLeadingZeros(FIRST_CAPACITY) + 1;
        return new ArrayList<>(LongStream.iterate(0, address -> address + 32)
                .filter(address -> (int) (((address + key) * SPREAD) >>> shift) == home)
                .limit(count)
                .boxed()
                .toList());
    }
}
