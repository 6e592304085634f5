package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Snapshots that share a row between devices equal those with a row for each. */
class RandomReadingsTests {

    private static final int READINGS = 2_000;
    private static final int DEVICES = 4;
    private static final int ADDRESSES = 6;
    private static final List<BufferType> TYPES = List.of(BufferType.DRAM, BufferType.L1);

    private record Region(int device, BufferType type) {}

    private final Seed seed = Seed.next();
    private final Random random = seed.random();

    @Test
    void everyRegionHasWhatWasSaidOfIt() {
        for (int i = 0; i < READINGS; i++) {
            Map<Region, NavigableSet<Long>> said =
                    new TreeMap<>(Comparator.comparingInt(Region::device).thenComparing(Region::type));
            WitnessSnapshot reading = WitnessSnapshot.of(0, Moment.CLOSE_BEGUN);
            assertSays(reading, said);
            for (int step = 0; step <= random.nextInt(6); step++) {
                reading = with(reading, said);
                assertSays(reading, said);
            }
        }
    }

    private WitnessSnapshot with(WitnessSnapshot before, Map<Region, NavigableSet<Long>> said) {
        BufferType type = TYPES.get(random.nextInt(TYPES.size()));
        long[] addresses = random.longs(random.nextInt(4), 0, ADDRESSES).toArray();
        List<Integer> devices = switch (random.nextInt(4)) {
            case 0 -> List.of(random.nextInt(DEVICES));
            case 1 -> List.of(2, 1);
            default -> List.of(0, 1, 2);
        };
        for (int device : devices) {
            NavigableSet<Long> known = said.computeIfAbsent(new Region(device, type), unused -> new TreeSet<>());
            for (long address : addresses) {
                known.add(address);
            }
        }
        return devices.size() == 1
                ? before.region(devices.get(0), type, addresses)
                : before.region(devices, type, addresses);
    }

    private void assertSays(WitnessSnapshot reading, Map<Region, NavigableSet<Long>> said) {
        assertThat(reading.devices())
                .describedAs(seed.toString())
                .isEqualTo(said.keySet().stream().map(Region::device).distinct().toList());
        assertThat(reading.isEmpty())
                .describedAs(seed.toString())
                .isEqualTo(said.values().stream().allMatch(NavigableSet::isEmpty));
        for (int device = 0; device < DEVICES; device++) {
            for (BufferType type : BufferType.values()) {
                NavigableSet<Long> known = said.get(new Region(device, type));
                assertThat(reading.allocatedAddresses(device, type))
                        .describedAs(seed.toString())
                        .isEqualTo(known == null ? List.of() : List.copyOf(known));
                for (long address = 0; address < ADDRESSES; address++) {
                    assertThat(reading.stateOf(device, type, address))
                            .describedAs(seed.toString())
                            .isEqualTo(
                                    known == null
                                            ? AddressState.UNKNOWN
                                            : known.contains(address) ? AddressState.ALLOCATED : AddressState.FREE);
                }
            }
        }
    }
}
