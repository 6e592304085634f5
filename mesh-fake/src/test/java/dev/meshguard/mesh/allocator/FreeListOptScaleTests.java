package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that the number of blocks that a search visits grows as the logarithm of all blocks. */
class FreeListOptScaleTests {

    private static final int BLOCKS = 100_000;

    /** A perfect tree of as many blocks has 17 levels, and a treap some two to three times as many. */
    private static final int MAX_DEPTH = 60;

    private final InspectedFreeList list = new InspectedFreeList(64L * 4 * BLOCKS, 0, 32, 32);

    @Test
    void allocatesAndReleasesAHundredThousandBlocksInRandomOrder() {
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            addresses.add(list.allocate(64, i % 2 == 0, 0).orElseThrow());
        }
        Collections.shuffle(addresses, new Random(7));

        int deepest = 0;
        for (int i = 0; i < BLOCKS; i++) {
            list.deallocate(addresses.get(i));
            deepest = i % 1000 == 0 ? Math.max(deepest, depth()) : deepest;
        }

        assertThat(deepest).isBetween(2, MAX_DEPTH);
        assertThat(list.memoryBlockTable()).hasSize(1);
    }

    @Test
    void looksPastAHundredThousandHolesOfTheSameClassThatAreTooSmall() {
        leaveHolesBetweenBlocks();
        long firstAfterTheHoles = 128L * (BLOCKS - 1) + 64;
        assertThat(depth()).isBetween(2, MAX_DEPTH);

        for (int i = 0; i < BLOCKS; i++) {
            assertThat(list.allocate(128, true, 0)).hasValue(firstAfterTheHoles + 128L * i);
        }
    }

    @Test
    void fillsAHundredThousandHolesFromBothEnds() {
        leaveHolesBetweenBlocks();
        list.allocate(128L * BLOCKS, false, 0);
        assertThat(depth()).isBetween(2, MAX_DEPTH);

        for (int i = 0; i < BLOCKS / 2; i++) {
            assertThat(list.allocate(64, true, 0)).hasValue(128L * i + 64);
            assertThat(list.allocate(64, false, 0)).hasValue(128L * (BLOCKS - 1 - i) + 64);
        }

        assertThat(list.statistics().totalFree()).isZero();
    }

    /** Allocates 64 bytes at every multiple of 128. */
    private void leaveHolesBetweenBlocks() {
        for (int i = 0; i < 2 * BLOCKS; i++) {
            list.allocate(64, true, 0);
        }
        for (int i = 0; i < BLOCKS; i++) {
            list.deallocate(128L * i + 64);
        }
    }

    private int depth() {
        return depth(list.freeBlocks.root);
    }

    private static int depth(@Nullable Block root) {
        return root == null ? 0 : 1 + Math.max(depth(root.children[0]), depth(root.children[1]));
    }
}
