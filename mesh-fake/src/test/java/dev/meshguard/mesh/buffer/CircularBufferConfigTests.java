package dev.meshguard.mesh.buffer;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.junit.jupiter.api.Test;

/** Tests the configurations of a circular buffer. */
class CircularBufferConfigTests {

    private static final CircularBufferConfig TWO_PAGES = CircularBufferConfig.of(4_096);

    @Test
    void holdsWholePages() {
        assertThat(TWO_PAGES.at(0, 2_048).numPages(0)).isEqualTo(2);
        assertRuntimeError(
                () -> TWO_PAGES.at(3, 3_000),
                "Failed allocation attempt on buffer index 3."
                        + " Total circular buffer size 4096 B must be divisible by page size 3000 B");
    }

    @Test
    void hasPagesOnlyUnderItsIndices() {
        CircularBufferConfig config = TWO_PAGES.at(0, 2_048);

        assertThatThrownBy(() -> config.numPages(1))
                .hasMessage(
                        "Cannot access page size for buffer index 1 because circular buffer is not configured on that index");
    }

    @Test
    void liesOnCoresOnce() {
        CoreRange corner = new CoreRange(0, 0, 1, 1);

        assertThat(TWO_PAGES.cores()).isEmpty();
        assertThat(TWO_PAGES.on(corner).cores()).contains(CoreRangeSet.of(corner));
        assertThatThrownBy(() -> TWO_PAGES.on(corner, new CoreRange(1, 1, 2, 2)))
                .isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void hasASizeOfThirtyTwoBits() {
        assertIllegalArgument(
                () -> CircularBufferConfig.of(0),
                "Cannot create a circular buffer of 0 B: it holds at least 1 B and at most 4294967295 B");
        assertThatThrownBy(() -> CircularBufferConfig.of(1L << 32)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hasPagesWithContent() {
        assertIllegalArgument(
                () -> TWO_PAGES.at(-1, 2_048),
                "There is no circular buffer at index -1 with pages of 2048 B:"
                        + " indices count from 0, and a page has at least 1 B");
        assertThatThrownBy(() -> TWO_PAGES.at(0, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
