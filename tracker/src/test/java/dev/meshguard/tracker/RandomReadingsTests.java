package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.util.ArrayList;
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
            WitnessSnapshot.Builder builder = WitnessSnapshot.of(0, Moment.CLOSE_BEGUN);
            List<WitnessSnapshot> before = new ArrayList<>();
            List<Map<Region, NavigableSet<Long>>> saidBefore = new ArrayList<>();
            for (int step = 0; step <= random.nextInt(6); step++) {
                before.add(builder.build());
                saidBefore.add(copy(said));
                say(builder, said);
            }
            before.add(builder.build());
            saidBefore.add(said);

            for (int j = 0; j < before.size(); j++) {
                assertSays(before.get(j), saidBefore.get(j));
            }
        }
    }

    private void say(WitnessSnapshot.Builder builder, Map<Region, NavigableSet<Long>> said) {
        BufferType type = TYPES.get(random.nextInt(TYPES.size()));
        long[] addresses = random.longs(random.nextInt(4), 0, ADDRESSES).toArray();
        List<Integer> devices = switch (random.nextInt(4)) {
            case 0 -> List.of(random.nextInt(DEVICES));
            case 1 -> List.of(2, 1);
            default -> List.of(0, 1, 2);
        };
        if (devices.size() == 1) {
            builder.region(devices.get(0), type, addresses);
        } else {
            builder.region(devices, type, addresses);
        }
        for (int device : devices) {
            NavigableSet<Long> known = said.computeIfAbsent(new Region(device, type), unused -> new TreeSet<>());
            for (long address : addresses) {
                known.add(address);
            }
        }
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

    private static Map<Region, NavigableSet<Long>> copy(Map<Region, NavigableSet<Long>> said) {
        Map<Region, NavigableSet<Long>> copy =
                new TreeMap<>(Comparator.comparingInt(Region::device).thenComparing(Region::type));
        said.forEach((region, addresses) -> copy.put(region, new TreeSet<>(addresses)));
        return copy;
    }
}
