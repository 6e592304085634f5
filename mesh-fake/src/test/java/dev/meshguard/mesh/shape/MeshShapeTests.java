package dev.meshguard.mesh.shape;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeshShapeTests {

    @Test
    void countsItsDevices() {
        assertThat(MeshShape.of(3).meshSize()).isEqualTo(3);
        assertThat(MeshShape.of(3, 4).meshSize()).isEqualTo(12);
        assertThat(MeshShape.of(2, 3, 4, 5, 6).meshSize()).isEqualTo(720);
        assertThat(MeshShape.of(2, 3, 4, 5, 6).dims()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({"0, 2", "1, 4"})
    void hasASizeInEachDimension(int dimension, int size) {
        assertThat(MeshShape.of(2, 4).get(dimension)).isEqualTo(size);
    }

    @Test
    void hasNoOtherDimension() {
        assertRuntimeError(() -> MeshShape.of(2, 4).get(2), "ShapeBase[] index out of range. 2 not in [0, 2)");
        assertRuntimeError(() -> MeshShape.of(2, 4).get(-1), "ShapeBase[] index out of range. -1 not in [0, 2)");
    }

    @ParameterizedTest
    @CsvSource({
        "1, true",
        "3, true",
        "1x1, true",
        "1x3, true",
        "3x1, true",
        "3x3, false",
        "1x1x1, true",
        "1x1x3, true",
        "1x3x1, true",
        "3x1x1, true",
        "1x3x3, false",
        "3x1x3, false",
        "3x3x3, false",
        "1x0, true",
        "0x2, false"
    })
    void isALineIfAtMostOneDimensionIsNotOne(String grid, boolean line) {
        MeshShape shape = new MeshShape(
                List.of(grid.split("x", -1)).stream().map(Integer::valueOf).toList());

        assertThat(shape.isLineTopology()).isEqualTo(line);
    }

    @Test
    void isWrittenForTheRuntimeAndForPeople() {
        assertThat(MeshShape.of(2, 4)).hasToString("MeshShape([2, 4])");
        assertThat(MeshShape.of(2, 4).grid()).isEqualTo("2x4");
    }

    @Test
    void hasDimensionsThatAreNotNegativeAndDevicesThatCanBeCounted() {
        assertThat(MeshShape.of(0, 4).meshSize()).isZero();
        assertRuntimeError(() -> new MeshShape(List.of()), "MeshShape cannot have 0 dimension.");
        assertIllegalArgument(
                () -> MeshShape.of(2, -4), "Cannot use -4 as a dimension of a mesh: a dimension is 0 or more");
        assertIllegalArgument(
                () -> MeshShape.of(65_536, 65_536),
                "Cannot use [65536, 65536] as the shape of a mesh: it has more than 2147483647 devices");
        assertThatThrownBy(() -> MeshShape.of(0, 65_536, 65_536)).isInstanceOf(IllegalArgumentException.class);
    }
}
