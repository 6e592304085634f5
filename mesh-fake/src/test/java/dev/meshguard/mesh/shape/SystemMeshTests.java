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
        assertThat(T3000.devicesOf(MeshShape.of(2, 2))).containsExactly(0, 1, 4, 5);
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
    void hasBlocksOfThreeDimensionsButTurnsNone() {
        SystemMesh cuboid = new SystemMesh(MeshShape.of(2, 3, 4));

        assertThat(cuboid.devicesOf(MeshShape.of(1, 2, 2))).containsExactly(0, 1, 4, 5);
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
    @CsvSource({"3, 3, 2, 8", "5, 2, 4, 4", "2, 5, 4, 4"})
    void hasNoBlockThatReachesOut(int rows, int columns, int systemRows, int systemColumns) {
        MeshShape requested = MeshShape.of(rows, columns);
        SystemMesh system = new SystemMesh(MeshShape.of(systemRows, systemColumns));

        assertRuntimeError(
                () -> system.devicesOf(requested),
                "Requested mesh is too big and is not rotatable: " + requested + " and SystemMesh " + system.shape()
                        + ", offset MeshCoordinate([0, 0])");
    }
}
