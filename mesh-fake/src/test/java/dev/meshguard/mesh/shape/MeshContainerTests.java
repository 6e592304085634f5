package dev.meshguard.mesh.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeshContainerTests {

    private static final MeshShape SHAPE = MeshShape.of(2, 3);

    @Test
    void holdsTheSameEverywhereAtFirst() {
        MeshContainer<Integer> container = MeshContainer.filled(SHAPE, 3);

        assertThat(container.values()).containsExactly(3, 3, 3, 3, 3, 3);
        assertThat(container.size()).isEqualTo(6);
        assertThat(container.shape()).isEqualTo(SHAPE);
        assertThat(container.coordRange()).isEqualTo(MeshCoordinateRange.of(SHAPE));
    }

    @Test
    void holdsACopyOfTheValuesItWasMadeOf() {
        List<Integer> values = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5));
        MeshContainer<Integer> container = MeshContainer.of(SHAPE, values);

        values.set(0, 9);

        assertThat(container.values()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(container.at(MeshCoordinate.of(1, 0))).isEqualTo(3);
    }

    @Test
    void keepsValuesInRowMajorOrder() {
        MeshContainer<Integer> container = MeshContainer.filled(SHAPE, 0);

        container.set(MeshCoordinate.of(0, 2), 2);
        container.set(MeshCoordinate.of(1, 1), 4);

        assertThat(container.values()).containsExactly(0, 0, 2, 0, 4, 0);
    }

    @Test
    void goesThroughCoordinatesAndValues() {
        MeshContainer<String> container = MeshContainer.of(MeshShape.of(2, 2), List.of("a", "b", "c", "d"));

        assertThat(container)
                .containsExactly(
                        new MeshContainer.Entry<>(MeshCoordinate.of(0, 0), "a"),
                        new MeshContainer.Entry<>(MeshCoordinate.of(0, 1), "b"),
                        new MeshContainer.Entry<>(MeshCoordinate.of(1, 0), "c"),
                        new MeshContainer.Entry<>(MeshCoordinate.of(1, 1), "d"));
    }

    @Test
    void canBeChangedWhileItIsGoneThrough() {
        MeshContainer<Integer> container = MeshContainer.of(MeshShape.of(3), List.of(1, 2, 3));

        container.forEach(entry -> container.set(entry.coordinate(), entry.value() * 10));

        assertThat(container.values()).containsExactly(10, 20, 30);
    }

    @Test
    void needsAsManyValuesAsDevices() {
        assertThatThrownBy(() -> MeshContainer.of(SHAPE, List.of(0, 1, 2, 3, 4)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shape and values size mismatch; shape: MeshShape([2, 3]), values: 5");
    }

    @Test
    void hasNothingOutside() {
        MeshContainer<Integer> container = MeshContainer.filled(SHAPE, 0);

        assertThatThrownBy(() -> container.at(MeshCoordinate.of(2, 0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate MeshCoordinate([2, 0]) is out of bounds for shape MeshShape([2, 3])");
        assertThatThrownBy(() -> container.set(MeshCoordinate.of(0, 0, 0), 1))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shape and coordinate dimensions do not match: 2 != 3");
    }

    @Test
    void isEqualToAContainerOfTheSameShapeAndValues() {
        MeshContainer<Integer> container = MeshContainer.filled(SHAPE, 1);

        assertThat(container)
                .isEqualTo(MeshContainer.of(SHAPE, List.of(1, 1, 1, 1, 1, 1)))
                .hasSameHashCodeAs(MeshContainer.filled(SHAPE, 1))
                .isNotEqualTo(MeshContainer.filled(MeshShape.of(3, 2), 1))
                .isNotEqualTo(MeshContainer.filled(SHAPE, 2))
                .hasToString("MeshContainer(MeshShape([2, 3]), [1, 1, 1, 1, 1, 1])");
    }
}
