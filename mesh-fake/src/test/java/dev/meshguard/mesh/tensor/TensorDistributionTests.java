package dev.meshguard.mesh.tensor;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TensorDistributionTests {

    private static final List<Integer> MESH = List.of(2, 4);

    @Test
    void splitsOverRowsAndColumns() {
        TensorDistribution distribution = TensorDistribution.sharded2d(0, -1);

        assertThat(distribution.shapeOnDevice(TensorShape.of(8, 32, 64), MESH)).isEqualTo(TensorShape.of(4, 32, 16));
        assertThat(distribution.wholeShape(TensorShape.of(4, 32, 16), MESH)).isEqualTo(TensorShape.of(8, 32, 64));
    }

    @Test
    void splitsOverAllDevices() {
        TensorDistribution distribution = TensorDistribution.sharded(1);

        assertThat(distribution.shapeOnDevice(TensorShape.of(3, 64), MESH)).isEqualTo(TensorShape.of(3, 8));
        assertThat(distribution.wholeShape(TensorShape.of(3, 8), MESH)).isEqualTo(TensorShape.of(3, 64));
    }

    @Test
    void keepsTheWholeTensorWhenReplicated() {
        TensorDistribution distribution = TensorDistribution.replicated();

        assertThat(distribution.shapeOnDevice(TensorShape.of(3, 7), MESH)).isEqualTo(TensorShape.of(3, 7));
        assertThat(distribution.wholeShape(TensorShape.of(3, 7), MESH)).isEqualTo(TensorShape.of(3, 7));
    }

    @Test
    void rejectsAnUnevenSplit() {
        assertIllegalArgument(
                () -> TensorDistribution.sharded2d(0, 1).shapeOnDevice(TensorShape.of(8, 6), MESH),
                "Cannot shard dimension 1 of a (4, 6) tensor over 4 mesh columns: 6 does not divide evenly by 4."
                        + " Pad the dimension to 8, or replicate the tensor.");
    }

    @Test
    void needsAMeshOfTwoDimensionsForRowsAndColumns() {
        assertIllegalArgument(
                () -> TensorDistribution.sharded2d(0, 1).shapeOnDevice(TensorShape.of(8, 8), List.of(8)),
                "Cannot shard a tensor over rows and columns of a mesh of 1 dimensions."
                        + " Use TensorDistribution.sharded(dimension) instead.");
    }

    @Test
    void needsADimensionThatExists() {
        assertThatThrownBy(() -> TensorDistribution.sharded(2).shapeOnDevice(TensorShape.of(8, 8), MESH))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("A tensor of shape (8, 8) has no dimension 2: its dimensions are 0 to 1");
    }
}
