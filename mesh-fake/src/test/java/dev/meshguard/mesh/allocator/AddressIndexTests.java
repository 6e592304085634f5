package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AddressIndexTests {

    private final AddressIndex table = new AddressIndex();

    @Test
    void findsTheSlotOfAnAddress() {
        table.put(0, 7);
        table.put(4_096, 8);

        assertThat(table.get(0)).isEqualTo(7);
        assertThat(table.get(4_096)).isEqualTo(8);
        assertThat(table.size()).isEqualTo(2);
    }

    @Test
    void findsNothingForAnAddressThatIsNotThere() {
        table.put(0, 7);

        assertThat(table.get(32)).isEqualTo(AddressIndex.ABSENT);
        assertThat(table.get(-1)).isEqualTo(AddressIndex.ABSENT);
        assertThat(table.remove(32)).isEqualTo(AddressIndex.ABSENT);
    }

    @Test
    void replacesTheSlotOfAnAddress() {
        table.put(32, 1);
        table.put(32, 2);

        assertThat(table.get(32)).isEqualTo(2);
        assertThat(table.size()).isEqualTo(1);
    }

    @Test
    void forgetsARemovedAddress() {
        table.put(32, 1);

        assertThat(table.remove(32)).isEqualTo(1);
        assertThat(table.get(32)).isEqualTo(AddressIndex.ABSENT);
        assertThat(table.size()).isZero();
    }

    @Test
    void forgetsEverythingWhenCleared() {
        table.put(32, 1);

        table.clear();

        assertThat(table.sortedAddresses()).isEmpty();
        assertThat(table.size()).isZero();
    }

    @Test
    void listsItsAddressesInOrder() {
        table.put(64, 1);
        table.put(0, 2);
        table.put(32, 3);

        assertThat(table.sortedAddresses()).containsExactly(0, 32, 64);
    }

    @Test
    void agreesWithAHashMapThroughManyInsertionsAndRemovals() {
        var expected = new HashMap<Long, Integer>();
        var random = new Random(20_251_015);

        for (int i = 0; i < 200_000; i++) {
            long address = 2_048L * random.nextInt(3_000);
            if (random.nextBoolean()) {
                table.put(address, i);
                expected.put(address, i);
            } else {
                Integer removed = expected.remove(address);
                assertThat(table.remove(address)).isEqualTo(removed == null ? AddressIndex.ABSENT : removed);
            }
        }

        assertThat(table.size()).isEqualTo(expected.size());
        assertThat(table.sortedAddresses())
                .containsExactly(expected.keySet().stream()
                        .mapToLong(Long::longValue)
                        .sorted()
                        .toArray());
        assertThat(expected)
                .allSatisfy((address, slot) -> assertThat(table.get(address)).isEqualTo(slot));
    }
}
