package dev.meshguard.mesh.tensor;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TensorLayoutTests {

    @Test
    void padsTheInnermostDimensionsToTiles() {
        assertThat(TensorLayout.TILE.size(TensorShape.of(3, 33, 1), DataType.BFLOAT16))
                .isEqualTo(3 * 2 * 2_048);
        assertThat(TensorLayout.TILE.size(TensorShape.of(40), DataType.BFLOAT8_B))
                .isEqualTo(2 * 1_088);
    }

    @Test
    void hasNoPaddingInRows() {
        assertThat(TensorLayout.ROW_MAJOR.size(TensorShape.of(3, 33, 1), DataType.UINT8))
                .isEqualTo(99);
        assertThat(TensorLayout.ROW_MAJOR.pageSize(TensorShape.of(3, 33, 5), DataType.UINT16))
                .isEqualTo(10);
    }

    @Test
    void needsTilesForBlockFloats() {
        assertIllegalArgument(
                () -> TensorLayout.ROW_MAJOR.size(TensorShape.of(32, 32), DataType.BFLOAT4_B),
                "An element of BFLOAT4_B has no size of its own: it shares its exponent. Use TensorLayout.TILE.");
    }

    @Test
    void takesNothingWithoutElements() {
        assertThat(TensorLayout.TILE.size(TensorShape.of(0, 32, 32), DataType.BFLOAT16))
                .isZero();
    }
}
