package dev.meshguard.mesh.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BufferRegionTests {

    @ParameterizedTest
    @CsvSource({
        "16, 64, Region offset must be a multiple of page size",
        "32, 16, Region size must be a multiple of page size",
        "1024, 1056, Region must be within buffer",
        "2080, 0, Region must be within buffer"
    })
    void cannotBeViewedUnlessItConsistsOfPagesOfTheBuffer(long offset, long size, String text) {
        BufferRegion region = new BufferRegion(offset, size);

        assertThatThrownBy(() -> region.requireViewable(2_048, 32))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(text);
    }

    @Test
    void canBeViewedAtTheEndAndWithoutContent() {
        new BufferRegion(1_024, 1_024).requireViewable(2_048, 32);
        new BufferRegion(2_048, 0).requireViewable(2_048, 32);
        new BufferRegion(0, 0).requireViewable(0, 0);
    }

    @Test
    void isNotWithinABufferHoweverLargeItIs() {
        assertThat(new BufferRegion(1, Long.MAX_VALUE).isWithin(2_048)).isFalse();
    }

    @Test
    void hasNoNegativeNumbers() {
        assertThatThrownBy(() -> new BufferRegion(-32, 32))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no region of 32 B at offset -32: both are 0 or more");
    }
}
