package dev.meshguard.mesh.tensor;

import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How one element of a tensor is stored.
 *
 * <p>Names are those of ttnn; tile sizes are those of {@code tile_size} in {@code tt_metal/api/tt-metalium/tt_backend_api_types.hpp}:
 * a tile has 32 x 32 elements, and a block float tile 64 bytes of shared exponents besides.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum DataType {
    /** 16 bits, the exponent of a 32-bit float. */
    BFLOAT16(2, 2_048),
    /** 32 bits. */
    FLOAT32(4, 4_096),
    /** 32 bits, unsigned. */
    UINT32(4, 4_096),
    /** 32 bits, signed. */
    INT32(4, 4_096),
    /** 16 bits, unsigned. */
    UINT16(2, 2_048),
    /** 8 bits, unsigned. */
    UINT8(1, 1_024),
    /** 8 bits and an exponent shared by 16 elements; exists in tiles only. */
    BFLOAT8_B(0, 1_088),
    /** 4 bits and an exponent shared by 16 elements; exists in tiles only. */
    BFLOAT4_B(0, 576);

    private final int elementSize;
    private final int tileSize;

    DataType(int elementSize, int tileSize) {
        this.elementSize = elementSize;
        this.tileSize = tileSize;
    }

    /**
     * Returns the bytes of one element.
     *
     * @throws IllegalArgumentException if elements of this type exist in tiles only
     */
    public int elementSize() {
        if (elementSize == 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "An element of %s has no size of its own: it shares its exponent. Use TensorLayout.TILE.", this));
        }
        return elementSize;
    }

    /** Returns the bytes of a tile of 32 x 32 elements. */
    public int tileSize() {
        return tileSize;
    }
}
