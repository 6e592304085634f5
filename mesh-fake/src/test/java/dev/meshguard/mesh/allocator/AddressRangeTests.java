package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class AddressRangeTests {

    @Test
    void isAsLongAsItsEndIsPastItsStart() {
        assertThat(new AddressRange(32, 96).size()).isEqualTo(64);
        assertThat(new AddressRange(32, 32).size()).isZero();
    }

    @Test
    void cannotEndBeforeItStarts() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new AddressRange(96, 32))
                .withMessage("Cannot create an address range from 96 to 32: the end must not lie before the start."
                        + " Swap the two.");
    }
}
