package dev.meshguard.event;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WitnessSnapshotTests {

    @Test
    void knowsItsAddressesInAnyOrderAndWhateverBecomesOfTheList() {
        List<Long> addresses = new ArrayList<>(List.of(0x2000L, 0x1000L, 0x2000L));
        WitnessSnapshot snapshot =
                new WitnessSnapshot(0, Moment.CLOSE_BEGUN, Optional.empty(), Map.of(0, Map.of(DRAM, addresses)));
        addresses.clear();

        assertThat(snapshot.allocatedAddresses(0, DRAM)).containsExactly(0x1000L, 0x2000L);
        assertThat(snapshot.stateOf(0, DRAM, 0x1000)).isEqualTo(AddressState.ALLOCATED);
    }

    @Test
    void joinsTheAddressesOfAMemoryThatIsAddedTwice() {
        WitnessSnapshot snapshot = WitnessSnapshot.of(0, Moment.CLOSE_BEGUN)
                .region(List.of(0, 1), DRAM, 0x3000, 0x1000)
                .region(1, DRAM, 0x2000, 0x1000);

        assertThat(snapshot.allocatedAddresses(0, DRAM)).containsExactly(0x1000L, 0x3000L);
        assertThat(snapshot.allocatedAddresses(1, DRAM)).containsExactly(0x1000L, 0x2000L, 0x3000L);
    }
}
