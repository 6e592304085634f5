package dev.meshguard.mesh.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshCoordinate.BoundaryMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MeshCoordinateRangeTests {

    private static final MeshShape FOUR_BY_FOUR = MeshShape.of(4, 4);

    @Test
    void goesThroughAShapeRowByRow() {
        assertThat(MeshCoordinateRange.of(MeshShape.of(2, 3)))
                .containsExactly(at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2));
    }

    @Test
    void hasBothCorners() {
        assertThat(range(at(1, 1, 1), at(2, 1, 3)))
                .containsExactly(at(1, 1, 1), at(1, 1, 2), at(1, 1, 3), at(2, 1, 1), at(2, 1, 2), at(2, 1, 3));
        assertThat(MeshCoordinateRange.of(at(1, 1, 1))).containsExactly(at(1, 1, 1));
    }

    @Test
    void endsAfterItsLastCoordinate() {
        var coordinates = MeshCoordinateRange.of(at(0, 0)).iterator();
        coordinates.next();

        assertThat(coordinates.hasNext()).isFalse();
        assertThatThrownBy(coordinates::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void goesOnAtTheOppositeEdgeFromItsStartOn() {
        MeshCoordinateRange range = MeshCoordinateRange.wrapping(at(3, 2), at(0, 0), FOUR_BY_FOUR);

        assertThat(range).containsExactly(at(3, 2), at(3, 3), at(3, 0), at(0, 2), at(0, 3), at(0, 0));
        assertThat(range.shape()).isEqualTo(MeshShape.of(2, 3));
        assertThat(range.boundaryMode()).isEqualTo(BoundaryMode.WRAP);
    }

    @Test
    void doesNotWrapAlongDimensionsThatEndAfterTheyStart() {
        MeshCoordinateRange range = MeshCoordinateRange.wrapping(at(1, 3), at(2, 0), FOUR_BY_FOUR);

        assertThat(range).containsExactly(at(1, 3), at(1, 0), at(2, 3), at(2, 0));
        assertThat(range.contains(at(1, 1))).isFalse();
        assertThat(range.contains(at(2, 3))).isTrue();
        assertThat(range.contains(at(3, 3))).isFalse();
        assertThat(range.contains(at(1, 4))).isFalse();
    }

    @Test
    void hasAShapeOfItsOwn() {
        assertThat(range(at(0, 1, 2), at(5, 1, 4)).shape()).isEqualTo(MeshShape.of(6, 1, 3));
        assertThat(range(at(0, 1, 2), at(5, 1, 4)).dims()).isEqualTo(3);
        assertThat(range(at(0, 1), at(5, 1)).boundaryMode()).isEqualTo(BoundaryMode.NONE);
    }

    @Test
    void containsWhatLiesInIt() {
        MeshCoordinateRange range = range(at(0, 2), at(1, 2));

        assertThat(range.contains(at(0, 2))).isTrue();
        assertThat(range.contains(at(1, 2))).isTrue();
        assertThat(range.contains(at(0, 1))).isFalse();
        assertThat(range.contains(at(2, 2))).isFalse();
    }

    @Test
    void containsARangeIfItContainsItsCorners() {
        MeshCoordinateRange range = range(at(1, 1), at(2, 2));

        assertThat(range.contains(range)).isTrue();
        assertThat(range.contains(range(at(1, 1), at(1, 2)))).isTrue();
        assertThat(range.contains(range(at(0, 2), at(1, 2)))).isFalse();
        assertThat(MeshCoordinateRange.wrapping(at(3, 0), at(1, 0), FOUR_BY_FOUR)
                        .contains(range(at(1, 0), at(3, 0))))
                .as("what lies between its ends is not looked at")
                .isTrue();
    }

    @Test
    void intersectsWhatItSharesACoordinateWith() {
        MeshCoordinateRange range = range(at(1, 1), at(3, 3));

        assertThat(range.intersection(range(at(2, 2), at(4, 4)))).contains(range(at(2, 2), at(3, 3)));
        assertThat(range.intersection(range(at(1, 1), at(1, 1)))).contains(range(at(1, 1), at(1, 1)));
        assertThat(range.intersection(range(at(0, 0), at(5, 5)))).contains(range);
        assertThat(range.intersection(range(at(5, 5), at(6, 6)))).isEmpty();
        assertThat(range.intersects(range(at(3, 0), at(5, 1)))).isTrue();
        assertThat(range.intersects(range(at(4, 0), at(5, 1)))).isFalse();
    }

    @Test
    void joinsWhatItSharesAtBothEdges() {
        MeshCoordinateRange edges = MeshCoordinateRange.wrapping(at(3), at(0), MeshShape.of(4));

        Optional<MeshCoordinateRange> shared = edges.intersection(MeshCoordinateRange.of(MeshShape.of(4)));

        assertThat(shared).contains(range(at(0), at(3)));
        assertThat(shared.orElseThrow().boundaryMode()).isEqualTo(BoundaryMode.NONE);
    }

    @Test
    void passesTheShapeOfTheLargerRangeOn() {
        MeshCoordinateRange edges = MeshCoordinateRange.wrapping(at(2), at(0), MeshShape.of(4));

        assertThat(edges.intersection(MeshCoordinateRange.of(at(3)))
                        .orElseThrow()
                        .boundaryMode())
                .isEqualTo(BoundaryMode.WRAP);
        assertThat(MeshCoordinateRange.of(at(3))
                        .intersection(edges)
                        .orElseThrow()
                        .boundaryMode())
                .isEqualTo(BoundaryMode.WRAP);
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
            assertThat(a.shape().meshSize()).as(words).isEqualTo(a.stream().count());
            assertThat(a.stream().allMatch(a::contains)).as(words).isTrue();
            assertThat(a.intersects(b)).as(words).isEqualTo(!shared.isEmpty());
            assertThat(a.intersection(b)).as(words).isEqualTo(boundingBox(shared));
            if (a.wraparoundShape().isEmpty() && b.wraparoundShape().isEmpty()) {
                List<MeshCoordinate> rest = new ArrayList<>(a.stream().toList());
                rest.removeAll(shared);
                assertThat(a.subtract(b).coords()).as(words).isEqualTo(rest);
            }
        }
    }

    @Test
    void leavesWhatLiesOnBothSidesWhenItIsCut() {
        assertThat(range(at(0), at(10)).subtract(range(at(3), at(7))).ranges())
                .containsExactly(range(at(0), at(2)), range(at(8), at(10)));
        assertThat(range(at(0, 0), at(1, 3)).subtract(range(at(0, 2), at(1, 5))).ranges())
                .as("rows match, columns reach over the end")
                .containsExactly(range(at(0, 0), at(1, 1)));
    }

    @Test
    void leavesAFrameWhenItsMiddleIsTakenOut() {
        assertThat(range(at(0, 0), at(2, 2))
                        .subtract(MeshCoordinateRange.of(at(1, 1)))
                        .ranges())
                .containsExactly(
                        range(at(0, 0), at(0, 2)),
                        range(at(1, 0), at(2, 0)),
                        range(at(1, 2), at(2, 2)),
                        range(at(2, 1), at(2, 1)));
    }

    @Test
    void leavesNothingOfItselfAndAllWhereItMeetsNothing() {
        MeshCoordinateRange range = range(at(0, 0), at(4, 10));

        assertThat(range.subtract(range).isEmpty()).isTrue();
        assertThat(range.subtract(range(at(5, 5), at(12, 12))).ranges()).containsExactly(range);
    }

    @Test
    void isEqualToARangeOfTheSameCorners() {
        MeshCoordinateRange plain = range(at(0, 1), at(2, 3));
        MeshCoordinateRange wrapping = MeshCoordinateRange.wrapping(at(0, 1), at(2, 3), FOUR_BY_FOUR);

        assertThat(wrapping).isEqualTo(plain).hasSameHashCodeAs(plain);
        assertThat(plain).isNotEqualTo(range(at(0, 1), at(2, 2))).isNotEqualTo(range(at(0, 0), at(2, 3)));
    }

    @Test
    void hasCornersOfTheSameDimensions() {
        assertThatThrownBy(() -> range(at(1, 0), at(2, 3, 1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Start and end dimensions of a coordinate range do not match: 2 != 3");
        assertThatThrownBy(() -> MeshCoordinateRange.wrapping(at(1, 0), at(2, 3), MeshShape.of(4)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Wraparound shape dims must match range dims: 1 != 2");
    }

    @Test
    void endsWhereItStartsOrLaterUnlessItWraps() {
        assertThatThrownBy(() -> range(at(1, 2, 0), at(1, 1, 1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Start coordinate is greater than end coordinate:"
                        + " MeshCoordinate([1, 2, 0]) > MeshCoordinate([1, 1, 1])");
    }

    @Test
    void liesInTheMeshAroundWhichItWraps() {
        assertThatThrownBy(() -> MeshCoordinateRange.wrapping(at(1, 4), at(2, 3), FOUR_BY_FOUR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot wrap a range from MeshCoordinate([1, 4]) to MeshCoordinate([2, 3])"
                        + " around MeshShape([4, 4]): both corners must lie in the mesh");
    }

    @Test
    void needsADevice() {
        assertThatThrownBy(() -> MeshCoordinateRange.of(MeshShape.of(0, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot go through the coordinates of MeshShape([0, 4]): it has no device");
    }

    @Test
    void isNotComparedWithWhatHasOtherDimensions() {
        MeshCoordinateRange range = range(at(1, 1, 3), at(1, 1, 3));

        assertThatThrownBy(() -> range.contains(at(1, 1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate dimensions do not match: 2 != 3");
        assertThatThrownBy(() -> range.contains(MeshCoordinateRange.of(at(1, 1))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate dimensions do not match: 2 != 3");
        assertThatThrownBy(() -> range.intersects(MeshCoordinateRange.of(at(1, 1))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate dimensions do not match: 2 != 3");
        assertThatThrownBy(() -> range.subtract(MeshCoordinateRange.of(at(1, 1))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Parent and intersection dimensions do not match: 3 != 2");
    }

    @Test
    void isWrittenAsTheRuntimeDoes() {
        assertThat(range(at(0, 1), at(2, 3)))
                .hasToString("MeshCoordinateRange(start=MeshCoordinate([0, 1]), end=MeshCoordinate([2, 3]))");
    }

    private static MeshCoordinateRange randomRange(Random random) {
        MeshShape mesh = MeshShape.of(4, 5);
        MeshCoordinate a = at(random.nextInt(4), random.nextInt(5));
        MeshCoordinate b = at(random.nextInt(4), random.nextInt(5));
        if (random.nextBoolean()) {
            return MeshCoordinateRange.wrapping(a, b, mesh);
        }
        return range(
                at(Math.min(a.get(0), b.get(0)), Math.min(a.get(1), b.get(1))),
                at(Math.max(a.get(0), b.get(0)), Math.max(a.get(1), b.get(1))));
    }

    private static Optional<MeshCoordinateRange> boundingBox(Set<MeshCoordinate> coordinates) {
        return coordinates.stream().map(MeshCoordinateRange::of).reduce(MeshCoordinateRange::boundingBox);
    }

    private static MeshCoordinateRange range(MeshCoordinate start, MeshCoordinate end) {
        return MeshCoordinateRange.of(start, end);
    }

    private static MeshCoordinate at(int... values) {
        return MeshCoordinate.of(values);
    }
}
