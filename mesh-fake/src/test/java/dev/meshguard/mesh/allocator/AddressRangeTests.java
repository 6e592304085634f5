package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AddressRangeTests {

    @Test
    void isAsLongAsItsEndIsPastItsStart() {
        assertThat(new AddressRange(32, 96).size()).isEqualTo(64);
        assertThat(new AddressRange(32, 32).size()).isZero();
    }

    @Test
    void cannotEndBeforeItStarts() {
        assertIllegalArgument(
                () -> new AddressRange(96, 32),
                "Cannot create an address range from 96 to 32: the end must not lie before the start."
                        + " Swap the two.");
    }
}
