package dev.meshguard.mesh.buffer;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The figures are those of {@code tests/tt_metal/tt_metal/api/core_coord/test_CoreRangeSet_*.cpp}. */
class CoreRangeSetTests {

    private static final CoreRange SQUARE = new CoreRange(0, 0, 1, 1);
    private static final CoreRange FAR_BLOCK = new CoreRange(3, 3, 5, 4);
    private static final CoreRange STEP = new CoreRange(1, 2, 2, 2);
    private static final CoreRange WIDE = new CoreRange(0, 0, 5, 4);
    private static final CoreRange WIDE_FROM_1 = new CoreRange(1, 0, 6, 4);
    private static final CoreRange WIDER = new CoreRange(0, 0, 6, 4);
    private static final CoreRange WIDE_FROM_2 = new CoreRange(2, 0, 7, 4);
    private static final CoreRange WIDEST = new CoreRange(0, 0, 7, 4);
    private static final CoreRange TALL = new CoreRange(0, 0, 1, 2);

    private static CoreRangeSet set(CoreRange... ranges) {
        return CoreRangeSet.of(ranges);
    }

    private static CoreRange core(int x, int y) {
        return new CoreRange(x, y, x, y);
    }

    private static CoreRangeSet merged(CoreRange first, Collection<CoreRange> others) {
        return CoreRangeSet.of(first).merge(others);
    }

    @Test
    void hasNoCoreTwice() {
        assertRuntimeError(
                () -> set(SQUARE, FAR_BLOCK, new CoreRange(1, 2, 3, 3)),
                "Cannot create CoreRangeSet with specified core ranges because core ranges"
                        + " [3-3 - 5-4] and [1-2 - 3-3] overlap!");
        assertThatThrownBy(() -> set(core(1, 1), SQUARE)).isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void containsTheCoresOfItsRangesAndRangesThatTheyMakeUp() {
        assertThat(set(core(1, 1), core(0, 1), core(1, 0), core(0, 0)).contains(set(SQUARE)))
                .isTrue();
        assertThat(set(core(1, 1), core(1, 0), core(0, 0)).contains(set(SQUARE)))
                .isFalse();
        assertThat(set(WIDE_FROM_2, SQUARE).contains(set(TALL))).isFalse();
        assertThat(set(core(1, 1), core(1, 2)).contains(set(core(1, 2)))).isTrue();
        assertThat(set(core(2, 3), TALL).contains(set(core(0, 1)))).isTrue();
        assertThat(set(SQUARE).contains(set(core(3, 3)))).isFalse();
        assertThat(set(SQUARE, core(1, 2)).contains(set(core(2, 0)))).isFalse();
    }

    @Test
    void containsASetAllOfWhoseCoresItHas() {
        CoreRangeSet blocks = set(SQUARE, FAR_BLOCK, STEP);

        assertThat(set(core(0, 0), WIDE_FROM_1, core(0, 1)).contains(blocks)).isTrue();
        assertThat(set(core(0, 0), WIDE_FROM_1).contains(blocks)).isFalse();
        assertThat(set(WIDE_FROM_1).contains(set())).isTrue();
        assertThat(set().contains(set())).isTrue();
        assertThat(set().contains(set(WIDE_FROM_1))).isFalse();
    }

    @Test
    void intersectsOnlyWhatItHasACoreInCommonWith() {
        CoreRangeSet corner = set(core(1, 1), core(0, 1), core(0, 2), core(1, 2));

        assertThat(corner.intersects(core(2, 3))).isFalse();
        assertThat(corner.intersects(set(core(2, 3), new CoreRange(3, 1, 3, 3))))
                .isFalse();
        assertThat(set(SQUARE, core(1, 2)).intersects(WIDE_FROM_2)).isFalse();
        assertThat(set(core(1, 1), core(1, 2)).intersects(STEP)).isTrue();
        assertThat(set(core(0, 1)).intersects(set(WIDE_FROM_2, SQUARE))).isTrue();
        assertThat(set(core(2, 3), TALL).intersects(core(1, 2))).isTrue();
    }

    @Test
    void mergesRangesThatLineUp() {
        assertThat(merged(SQUARE, List.of(core(0, 2), core(1, 2)))).isEqualTo(set(TALL));
        assertThat(merged(SQUARE, List.of(core(0, 2))).merge(List.of(core(1, 2))))
                .isEqualTo(set(TALL));
    }

    @Test
    void mergesRangesThatOverlap() {
        assertThat(merged(SQUARE, List.of(SQUARE))).isEqualTo(set(SQUARE));
        assertThat(merged(WIDE_FROM_2, List.of(WIDER)).merge(List.of(WIDE))).isEqualTo(set(WIDEST));
        assertThat(set(SQUARE, FAR_BLOCK, STEP).merge(List.of(WIDE))).isEqualTo(set(WIDE));
    }

    @Test
    void leavesRangesThatDoNotLineUpAsTheyAreInOrder() {
        assertThat(merged(core(1, 1), List.of(core(0, 2)))).isEqualTo(set(core(0, 2), core(1, 1)));
        assertThat(merged(SQUARE, List.of(FAR_BLOCK)).merge(List.of(STEP))).isEqualTo(set(SQUARE, STEP, FAR_BLOCK));
    }

    @Test
    void findsTheTwoRectanglesOfAnUpsideDownT() {
        CoreRangeSet base = set(new CoreRange(0, 0, 4, 2));

        assertThat(base.merge(List.of(new CoreRange(2, 0, 3, 5))))
                .isEqualTo(set(new CoreRange(0, 0, 4, 2), new CoreRange(2, 3, 3, 5)));
    }

    @Test
    void cutsAnHIntoFiveWhereThreeWouldDoAsTheRuntimeDoes() {
        List<CoreRange> h = List.of(new CoreRange(0, 0, 1, 5), new CoreRange(3, 0, 4, 5), new CoreRange(0, 2, 4, 3));

        assertThat(set().merge(h))
                .isEqualTo(set(
                        new CoreRange(0, 0, 1, 1),
                        new CoreRange(0, 2, 4, 3),
                        new CoreRange(0, 4, 1, 5),
                        new CoreRange(3, 0, 4, 1),
                        new CoreRange(3, 4, 4, 5)));
    }

    @Test
    void keepsItsRangesInOrderAndIsWrittenAsTheRuntimeWritesIt() {
        assertThat(set(SQUARE, FAR_BLOCK)).hasToString("{[0-0 - 1-1], [3-3 - 5-4]}");
        assertThat(set(FAR_BLOCK, SQUARE)).hasToString("{[3-3 - 5-4], [0-0 - 1-1]}");
        assertThat(set(FAR_BLOCK, SQUARE).numCores()).isEqualTo(10);
        assertThat(set().merge(List.of())).isEqualTo(set());
        assertThat(set()).hasToString("{}");
    }
}
