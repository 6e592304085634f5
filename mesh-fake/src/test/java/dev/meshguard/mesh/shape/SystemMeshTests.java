package dev.meshguard.mesh.shape;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SystemMeshTests {

    private static final SystemMesh T3000 = new SystemMesh(MeshShape.of(2, 4));
    private static final SystemMesh GALAXY = new SystemMesh(MeshShape.of(8, 4));

    @Test
    void numbersItsDevicesRowByRow() {
        assertThat(T3000.devicesOf(MeshShape.of(2, 4))).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(T3000.devicesOf(MeshShape.of(2, 2), at(0, 2))).containsExactly(2, 3, 6, 7);
    }

    @Test
    void knowsItsDevicesAndWhereTheyLie() {
        assertThat(T3000.deviceIds()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(T3000.coordinateOf(6)).isEqualTo(MeshCoordinate.of(1, 2));
        assertRuntimeError(() -> T3000.coordinateOf(8), "Device not found in mesh: 8");
    }

    @Test
    void laysALineRoundTheRingOfAT3000() {
        assertThat(T3000.devicesOf(MeshShape.of(1, 8))).containsExactly(0, 1, 2, 3, 7, 6, 5, 4);
        assertThat(T3000.devicesOf(MeshShape.of(1, 1, 5))).containsExactly(0, 1, 2, 3, 7);
        assertThat(T3000.devicesOf(MeshShape.of(1))).containsExactly(0);
        assertThat(new SystemMesh(MeshShape.of(4, 2)).devicesOf(MeshShape.of(8, 1)))
                .containsExactly(0, 1, 3, 5, 7, 6, 4, 2);
    }

    @Test
    void laysALineAlongTheRowsThereAndBackElsewhere() {
        assertThat(GALAXY.devicesOf(MeshShape.of(8, 1))).containsExactly(0, 1, 2, 3, 7, 6, 5, 4);
        assertThat(GALAXY.devicesOf(MeshShape.of(1, 10))).containsExactly(0, 1, 2, 3, 7, 6, 5, 4, 8, 9);
        assertThat(new SystemMesh(MeshShape.of(1, 4)).devicesOf(MeshShape.of(1, 3)))
                .containsExactly(0, 1, 2);
        assertThat(new SystemMesh(MeshShape.of(4, 1)).devicesOf(MeshShape.of(1, 4)))
                .containsExactly(0, 1, 2, 3);
    }

    @Test
    void turnsABlockThatFitsOnlySo() {
        assertThat(T3000.devicesOf(MeshShape.of(4, 2))).containsExactly(0, 4, 1, 5, 2, 6, 3, 7);
        assertThat(GALAXY.devicesOf(MeshShape.of(2, 8)))
                .containsExactly(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    }

    @Test
    void forgetsTheOffsetOfABlockThatItTurns() {
        assertThat(GALAXY.devicesOf(MeshShape.of(2, 4), at(4, 1)))
                .as("at column 1 there is room for 4x2 only, which starts at device 0")
                .containsExactly(0, 4, 8, 12, 1, 5, 9, 13);
        assertThat(GALAXY.devicesOf(MeshShape.of(2, 4), at(4, 0))).containsExactly(16, 17, 18, 19, 20, 21, 22, 23);
    }

    @Test
    void hasBlocksOfThreeDimensionsButTurnsNone() {
        SystemMesh cuboid = new SystemMesh(MeshShape.of(2, 3, 4));

        assertThat(cuboid.devicesOf(MeshShape.of(1, 2, 2), at(1, 1, 2))).containsExactly(18, 19, 22, 23);
        assertRuntimeError(
                () -> cuboid.devicesOf(MeshShape.of(4, 2, 3)), "Mesh rotation is only supported for 2D meshes");
        assertRuntimeError(
                () -> cuboid.devicesOf(MeshShape.of(1, 1, 4)), "Line topology is only supported for 2D meshes");
    }

    @Test
    void hasBlocksOfItsOwnDimensionsWithADevice() {
        assertRuntimeError(
                () -> T3000.devicesOf(MeshShape.of(0, 4)),
                "Requested mesh shape MeshShape([0, 4]) has zero devices (mesh_size=0).");
        assertRuntimeError(
                () -> T3000.devicesOf(MeshShape.of(2, 2, 2)),
                "Requested mesh shape dimensions mismatch: MeshShape([2, 2, 2]) != MeshShape([2, 4])");
    }

    @ParameterizedTest
    @CsvSource({"1, 9", "9, 1", "2, 5", "3, 4"})
    void hasNoMoreDevicesThanItHas(int rows, int columns) {
        assertRuntimeError(
                () -> T3000.devicesOf(MeshShape.of(rows, columns)),
                "Requested mesh shape MeshShape([" + rows + ", " + columns + "]) requires " + rows * columns
                        + " devices, but only 8 devices are available in the system mesh MeshShape([2, 4]).");
    }

    @ParameterizedTest
    @CsvSource({"2, 3, 1, 1", "2, 2, 0, 4", "2, 2, 0, 2147483647", "3, 2, 0, 3"})
    void hasNoBlockThatReachesOut(int rows, int columns, int row, int column) {
        MeshShape requested = MeshShape.of(rows, columns);
        MeshCoordinate start = MeshCoordinate.of(row, column);

        assertRuntimeError(
                () -> T3000.devicesOf(requested, start),
                "Requested mesh is too big and is not rotatable: " + requested
                        + " and SystemMesh MeshShape([2, 4]), offset " + start);
    }

    private static MeshCoordinate at(int... values) {
        return MeshCoordinate.of(values);
    }
}
