package dev.meshguard.mesh.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the paths and views that the runtime's own tests expect ({@code tests/tt_metal/distributed/test_mesh_device_view.cpp}),
 * and more.
 */
class MeshDeviceViewTests {

    private static final MeshShape TWO_BY_FOUR = MeshShape.of(2, 4);
    private static final MeshDeviceView VIEW = new MeshDeviceView(TWO_BY_FOUR, List.of(10, 11, 12, 13, 14, 15, 16, 17));
    private static final MeshDeviceView CUBE =
            new MeshDeviceView(MeshShape.of(2, 2, 2), List.of(0, 1, 2, 3, 4, 5, 6, 7));

    @Test
    void hasRowsAndColumns() {
        assertThat(VIEW.numDevices()).isEqualTo(8);
        assertThat(VIEW.isMesh2d()).isTrue();
        assertThat(VIEW.numRows()).isEqualTo(2);
        assertThat(VIEW.numCols()).isEqualTo(4);
        assertThat(VIEW.rowDevices(1)).containsExactly(14, 15, 16, 17);
        assertThat(VIEW.columnDevices(3)).containsExactly(13, 17);
    }

    @ParameterizedTest
    @CsvSource({"-1", "2"})
    void hasNoOtherRows(int row) {
        assertThatThrownBy(() -> VIEW.rowDevices(row))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Row index out of bounds: " + row);
    }

    @ParameterizedTest
    @CsvSource({"-1", "4"})
    void hasNoOtherColumns(int column) {
        assertThatThrownBy(() -> VIEW.columnDevices(column))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Column index out of bounds: " + column);
    }

    @Test
    void findsDevicesByCoordinateAndCoordinatesByDevice() {
        assertThat(VIEW.contains(at(1, 3))).isTrue();
        assertThat(VIEW.device(at(1, 2))).hasValue(16);
        assertThat(VIEW.findDevice(16)).isEqualTo(at(1, 2));
    }

    @Test
    void hasNoDeviceOutside() {
        assertThat(VIEW.contains(at(0, 4))).isFalse();
        assertThat(VIEW.device(at(2, 0))).isEmpty();
        assertThatThrownBy(() -> VIEW.findDevice(9_999))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Device not found in mesh: 9999");
        assertThatThrownBy(() -> VIEW.device(at(1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate dimensions do not match: 1 != 2");
    }

    @Test
    void hasTheDevicesOfABlock() {
        assertThat(VIEW.devices(MeshCoordinateRange.of(at(0, 1), at(1, 2)))).containsExactly(11, 12, 15, 16);
        assertThatThrownBy(() -> VIEW.devices(MeshCoordinateRange.of(at(0, 3), at(0, 4))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate MeshCoordinate([0, 4]) is out of bounds for shape MeshShape([2, 4])");
    }

    @Test
    void goesAlongOneRowAndBackAlongTheOther() {
        assertThat(VIEW.lineCoordinates())
                .containsExactly(at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(1, 3), at(1, 2), at(1, 1), at(1, 0));
        assertThat(VIEW.lineDevices()).containsExactly(10, 11, 12, 13, 17, 16, 15, 14);
    }

    @Test
    void goesRoundTheEdgeClockwise() {
        MeshDeviceView square = new MeshDeviceView(MeshShape.of(3, 3), List.of(0, 1, 2, 3, 4, 5, 6, 7, 8));

        assertThat(square.ringDevices()).containsExactly(0, 1, 2, 5, 8, 7, 6, 3);
        assertThat(VIEW.ringDevices()).containsExactly(10, 11, 12, 13, 17, 16, 15, 14);
    }

    @Test
    void goesRoundABlockInTheCornerOfAMesh() {
        assertThat(MeshDeviceView.ringCoordinates(MeshShape.of(2, 2), MeshShape.of(2, 2)))
                .containsExactly(at(0, 0), at(0, 1), at(1, 1), at(1, 0));
        assertThat(MeshDeviceView.ringCoordinates(MeshShape.of(3, 3), MeshShape.of(4, 4)))
                .containsExactly(at(0, 0), at(0, 1), at(0, 2), at(1, 2), at(2, 2), at(2, 1), at(2, 0), at(1, 0));
        assertThat(MeshDeviceView.ringCoordinates(MeshShape.of(1, 3), MeshShape.of(4, 4)))
                .containsExactly(at(0, 0), at(0, 1), at(0, 2));
        assertThat(MeshDeviceView.ringCoordinates(MeshShape.of(3, 1), MeshShape.of(4, 4)))
                .containsExactly(at(0, 0), at(1, 0), at(2, 0));
    }

    @Test
    void goesRoundNothingThatIsEmptyOrTooLarge() {
        assertThatThrownBy(() -> MeshDeviceView.ringCoordinates(MeshShape.of(1, 0), TWO_BY_FOUR))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Ring shape must not be empty along either dimension. Got (1, 0)");
        assertThatThrownBy(() -> MeshDeviceView.ringCoordinates(MeshShape.of(4, 2), MeshShape.of(2, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Subgrid (4, 2) is out of mesh bounds (2, 2)");
    }

    @Test
    void endsALineBesideItsStartIfItCan() {
        assertThat(MeshDeviceView.lineCoordinates(4, MeshShape.of(2, 2), at(0, 0)))
                .containsExactly(at(0, 0), at(0, 1), at(1, 1), at(1, 0));
        assertThat(MeshDeviceView.lineCoordinates(4, MeshShape.of(3, 3), at(0, 0)))
                .containsExactly(at(0, 0), at(0, 1), at(1, 1), at(1, 0));
        assertThat(MeshDeviceView.lineCoordinates(2, MeshShape.of(2, 2), at(1, 0)))
                .containsExactly(at(1, 0), at(1, 1));
    }

    @Test
    void laysALineAnywhereIfItCannotBeClosed() {
        assertThat(MeshDeviceView.lineCoordinates(3, MeshShape.of(2, 2), at(0, 0)))
                .containsExactly(at(0, 0), at(0, 1), at(1, 1));
        assertThat(MeshDeviceView.lineCoordinates(9, MeshShape.of(3, 3), at(0, 0)))
                .containsExactly(
                        at(0, 0), at(0, 1), at(0, 2), at(1, 2), at(2, 2), at(2, 1), at(2, 0), at(1, 0), at(1, 1));
        assertThat(MeshDeviceView.lineCoordinates(5, MeshShape.of(3, 3), at(1, 1)))
                .containsExactly(at(1, 1), at(1, 2), at(2, 2), at(2, 1), at(2, 0));
    }

    @Test
    void followsTheRingOfAT3000FromTheOffsetOn() {
        assertThat(MeshDeviceView.lineCoordinates(4, TWO_BY_FOUR, at(0, 0)))
                .as("a line in any other mesh would turn here to end beside its start")
                .containsExactly(at(0, 0), at(0, 1), at(0, 2), at(0, 3));
        assertThat(MeshDeviceView.lineCoordinates(4, MeshShape.of(4, 2), at(1, 0)))
                .containsExactly(at(1, 0), at(0, 0), at(0, 1), at(1, 1));
        assertThat(MeshDeviceView.lineCoordinates(8, TWO_BY_FOUR, at(0, 1)))
                .containsExactly(at(0, 1), at(0, 2), at(0, 3), at(1, 3), at(1, 2), at(1, 1), at(1, 0), at(0, 0));
        assertThat(MeshDeviceView.lineCoordinates(0, TWO_BY_FOUR, at(0, 1))).isEmpty();
    }

    @Test
    void laysNoLineThatIsTooLongOrEmptyOrOutside() {
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(10, MeshShape.of(2, 2), at(0, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Failed to get line coordinates, got 1 coordinates, expected 10");
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(0, MeshShape.of(2, 2), at(0, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Failed to get line coordinates, got 1 coordinates, expected 0");
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(9, TWO_BY_FOUR, at(0, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Length 9 is greater than the number of ring coordinates 8");
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(2, TWO_BY_FOUR, at(2, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Mesh offset (2, 0) is out of bounds for mesh shape (2, 4)");
    }

    @Test
    void laysLinesAndRingsInTwoDimensions() {
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(2, MeshShape.of(8), at(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot lay a line or ring with MeshShape([8]): lines and rings need two dimensions");
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(2, TWO_BY_FOUR, at(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot lay a line or ring with MeshCoordinate([0]): lines and rings need two dimensions");
        assertThatThrownBy(() -> MeshDeviceView.lineCoordinates(-1, TWO_BY_FOUR, at(0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot lay a line of -1 devices: a length is 0 or more");
    }

    static Stream<ThrowingCallable> questionsAboutTwoDimensions() {
        return Stream.of(
                CUBE::numRows,
                CUBE::numCols,
                () -> CUBE.rowDevices(0),
                () -> CUBE.columnDevices(0),
                CUBE::lineCoordinates,
                CUBE::lineDevices,
                CUBE::ringCoordinates,
                CUBE::ringDevices);
    }

    @ParameterizedTest
    @MethodSource("questionsAboutTwoDimensions")
    void hasNoRowsLinesAndRingsInThreeDimensions(ThrowingCallable question) {
        assertThat(CUBE.isMesh2d()).isFalse();
        assertThatThrownBy(question)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("MeshDeviceViewImpl is not 2D!");
    }

    @Test
    void findsDevicesInThreeDimensionsToo() {
        assertThat(CUBE.device(at(1, 0, 1))).hasValue(5);
        assertThat(CUBE.findDevice(6)).isEqualTo(at(1, 1, 0));
    }

    @Test
    void needsAsManyDevicesAsTheShapeHas() {
        assertThatThrownBy(() -> new MeshDeviceView(TWO_BY_FOUR, List.of(1, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shape and values size mismatch; shape: MeshShape([2, 4]), values: 2");
    }

    private static MeshCoordinate at(int... values) {
        return MeshCoordinate.of(values);
    }
}
