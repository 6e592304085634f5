package dev.meshguard.mesh.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Comparator;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The blocks that the runtime's own tests expect ({@code tests/tt_metal/distributed/test_mesh_coord.cpp}), and random ones. */
class MeshCoordinateRangeSetTests {

    @Test
    void joinsRangesThatTouch() {
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.of(range(at(0), at(3)), range(at(4), at(6)));

        assertThat(set.ranges()).containsExactly(range(at(0), at(6)));
    }

    @Test
    void joinsAcrossAGapThatIsFilled() {
        MeshCoordinateRangeSet apart = MeshCoordinateRangeSet.of(range(at(0), at(6)), range(at(8), at(10)));

        MeshCoordinateRangeSet filled = apart.merge(range(at(7), at(7)));

        assertThat(apart.ranges()).containsExactly(range(at(0), at(6)), range(at(8), at(10)));
        assertThat(filled.ranges()).containsExactly(range(at(0), at(10)));
    }

    @Test
    void isSortedWhateverTheOrderOfMerging() {
        MeshCoordinateRange low = range(at(0, 0), at(1, 1));
        MeshCoordinateRange high = range(at(3, 3), at(4, 4));

        assertThat(MeshCoordinateRangeSet.of(high, low))
                .isEqualTo(MeshCoordinateRangeSet.of(low, high))
                .hasSameHashCodeAs(MeshCoordinateRangeSet.of(low, high));
        assertThat(MeshCoordinateRangeSet.of(high, low).ranges()).containsExactly(low, high);
        assertThat(MeshCoordinateRangeSet.of(low)).isNotEqualTo(MeshCoordinateRangeSet.of(low, high));
    }

    @Test
    void collapsesWhenBlocksFillABlock() {
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.of(
                range(at(5, 5), at(6, 6)),
                range(at(0, 0), at(1, 1)),
                range(at(0, 2), at(1, 3)),
                range(at(2, 0), at(3, 1)));
        assertThat(set.ranges())
                .containsExactly(range(at(0, 0), at(1, 3)), range(at(2, 0), at(3, 1)), range(at(5, 5), at(6, 6)));

        set = set.merge(range(at(2, 2), at(3, 3))).merge(range(at(4, 0), at(4, 6)));
        assertThat(set.ranges())
                .containsExactly(range(at(0, 0), at(3, 3)), range(at(4, 0), at(4, 6)), range(at(5, 5), at(6, 6)));

        set = set.merge(range(at(5, 0), at(6, 4)));
        assertThat(set.ranges()).containsExactly(range(at(0, 0), at(3, 3)), range(at(4, 0), at(6, 6)));

        set = set.merge(range(at(0, 4), at(3, 6)));
        assertThat(set.ranges()).containsExactly(range(at(0, 0), at(6, 6)));
    }

    @Test
    void cutsUpWhatItOverlaps() {
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.of(range(at(0, 0), at(1, 1)), range(at(1, 1), at(2, 2)));
        assertThat(set.ranges())
                .containsExactly(range(at(0, 0), at(0, 1)), range(at(1, 0), at(1, 0)), range(at(1, 1), at(2, 2)));

        set = set.merge(range(at(0, 0), at(3, 3))).merge(range(at(0, 4), at(2, 6)));
        assertThat(set.ranges()).containsExactly(range(at(0, 0), at(3, 3)), range(at(0, 4), at(2, 6)));

        set = set.merge(range(at(2, 2), at(4, 4)));
        assertThat(set.ranges())
                .containsExactly(
                        range(at(0, 0), at(1, 6)),
                        range(at(2, 0), at(3, 1)),
                        range(at(2, 2), at(4, 4)),
                        range(at(2, 5), at(2, 6)));
        assertThat(set.merge(range(at(0, 3), at(1, 3)))).isEqualTo(set);

        set = set.merge(range(at(3, 0), at(4, 2)));
        assertThat(set.ranges())
                .containsExactly(
                        range(at(0, 0), at(1, 6)),
                        range(at(2, 0), at(4, 2)),
                        range(at(2, 3), at(2, 6)),
                        range(at(3, 3), at(4, 4)));

        set = set.merge(range(at(1, 3), at(4, 6)));
        assertThat(set.ranges()).containsExactly(range(at(0, 0), at(4, 6)));
    }

    @Test
    void givesItsCoordinatesInOrder() {
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.of(
                range(at(0, 0), at(0, 1)), range(at(1, 1), at(1, 1)), range(at(0, 3), at(0, 3)));
        assertThat(set.coords()).containsExactly(at(0, 0), at(0, 1), at(0, 3), at(1, 1));

        set = set.merge(range(at(0, 2), at(1, 2))).merge(range(at(1, 3), at(1, 3)));
        assertThat(set.coords()).containsExactly(at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(1, 1), at(1, 2), at(1, 3));
    }

    @Test
    void hasExactlyWhatWasMergedAndNothingTwice() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        Random random = new Random(seed);
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.empty();
        TreeSet<MeshCoordinate> merged = new TreeSet<>();

        for (int round = 0; round < 1_000; round++) {
            if (round % 10 == 0) {
                set = MeshCoordinateRangeSet.empty();
                merged.clear();
            }
            MeshCoordinate start = at(random.nextInt(4), random.nextInt(4), random.nextInt(4));
            MeshCoordinateRange range = range(
                    start,
                    at(
                            start.get(0) + random.nextInt(3),
                            start.get(1) + random.nextInt(3),
                            start.get(2) + random.nextInt(3)));

            set = set.merge(range);
            range.forEach(merged::add);

            assertThat(set.coords())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(merged.stream().toList());
            assertThat(set.ranges())
                    .as("seed %d, round %d", seed, round)
                    .isSortedAccordingTo(Comparator.comparing(MeshCoordinateRange::start));
        }
    }

    @Test
    void holdsRangesOfOneKindOnly() {
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.of(range(at(0, 0), at(1, 1)));

        assertThatThrownBy(() -> set.merge(range(at(0, 0, 0), at(1, 1, 1))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot merge range with different dimensions into a range set: 2 != 3");
    }

    @Test
    void isWrittenAsTheRuntimeDoes() {
        MeshCoordinateRangeSet set = MeshCoordinateRangeSet.of(range(at(0), at(1)), range(at(3), at(3)));

        assertThat(set)
                .hasToString("MeshCoordinateRangeSet(["
                        + "MeshCoordinateRange(start=MeshCoordinate([0]), end=MeshCoordinate([1])), "
                        + "MeshCoordinateRange(start=MeshCoordinate([3]), end=MeshCoordinate([3]))])");
        assertThat(set.size()).isEqualTo(2);
        assertThat(MeshCoordinateRangeSet.empty()).hasToString("MeshCoordinateRangeSet([])");
    }

    private static MeshCoordinateRange range(MeshCoordinate start, MeshCoordinate end) {
        return MeshCoordinateRange.of(start, end);
    }

    private static MeshCoordinate at(int... values) {
        return MeshCoordinate.of(values);
    }
}
