package dev.meshguard.mesh.shape;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MeshCoordinateRangeTests {

    @Test
    void goesThroughAShapeRowByRow() {
        assertThat(MeshCoordinateRange.of(MeshShape.of(2, 3)).stream())
                .containsExactly(at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2));
    }

    @Test
    void hasBothCorners() {
        assertThat(range(at(1, 1, 1), at(2, 1, 3)).stream())
                .containsExactly(at(1, 1, 1), at(1, 1, 2), at(1, 1, 3), at(2, 1, 1), at(2, 1, 2), at(2, 1, 3));
        assertThat(range(at(1, 1, 1), at(1, 1, 1)).stream()).containsExactly(at(1, 1, 1));
    }

    @Test
    void agreesWithSetsOfCoordinates() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        Random random = new Random(seed);

        for (int round = 0; round < 2_000; round++) {
            MeshCoordinateRange a = randomRange(random);
            MeshCoordinateRange b = randomRange(random);

            Set<MeshCoordinate> shared = new HashSet<>(a.stream().toList());
            shared.retainAll(b.stream().toList());

            String words = "seed " + seed + ", round " + round + ": " + a + " and " + b;
            assertThat(a.intersects(b)).as(words).isEqualTo(!shared.isEmpty());
        }
    }

    @Test
    void isEqualToARangeOfTheSameCorners() {
        MeshCoordinateRange plain = range(at(0, 1), at(2, 3));

        assertThat(range(at(0, 1), at(2, 3))).isEqualTo(plain).hasSameHashCodeAs(plain);
        assertThat(plain).isNotEqualTo(range(at(0, 1), at(2, 2))).isNotEqualTo(range(at(0, 0), at(2, 3)));
    }

    @Test
    void hasCornersOfTheSameDimensionsInOrderAndADevice() {
        assertRuntimeError(
                () -> range(at(1, 2, 0), at(1, 1, 1)),
                "Start coordinate is greater than end coordinate:"
                        + " MeshCoordinate([1, 2, 0]) > MeshCoordinate([1, 1, 1])");
        assertIllegalArgument(
                () -> MeshCoordinateRange.of(MeshShape.of(0, 4)),
                "Cannot go through the coordinates of MeshShape([0, 4]): it has no device");
        assertRuntimeError(
                () -> range(at(1, 0), at(2, 3, 1)),
                "Start and end dimensions of a coordinate range do not match: 2 != 3");
    }

    @Test
    void isNotComparedWithWhatHasOtherDimensions() {
        MeshCoordinateRange range = range(at(1, 1, 3), at(1, 1, 3));

        assertRuntimeError(
                () -> range.intersects(range(at(1, 1), at(1, 1))), "Coordinate dimensions do not match: 2 != 3");
    }

    @Test
    void isWrittenAsTheRuntimeDoes() {
        assertThat(range(at(0, 1), at(2, 3)))
                .hasToString("MeshCoordinateRange(start=MeshCoordinate([0, 1]), end=MeshCoordinate([2, 3]))");
    }

    private static MeshCoordinateRange randomRange(Random random) {
        MeshCoordinate a = at(random.nextInt(4), random.nextInt(5));
        MeshCoordinate b = at(random.nextInt(4), random.nextInt(5));
        return range(
                at(Math.min(a.get(0), b.get(0)), Math.min(a.get(1), b.get(1))),
                at(Math.max(a.get(0), b.get(0)), Math.max(a.get(1), b.get(1))));
    }

    private static MeshCoordinateRange range(MeshCoordinate start, MeshCoordinate end) {
        return new MeshCoordinateRange(start, end);
    }

    private static MeshCoordinate at(int... values) {
        return MeshCoordinate.of(values);
    }
}
