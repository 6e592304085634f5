package dev.meshguard.samples.growth;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.FragmentationGrowth;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Rounds whose free memory falls apart, and rounds whose memory only grows. */
class FragmentationTests {

    private static final long PAGE = 2_048;
    private static final int BANKS = 64;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final MeshDevice mesh = open(Ttnn.builder(tracker));

    @Test
    void growsWhereEachRoundKeepsABufferBetweenOthers() {
        tracker.rounds(4, round -> {
            MeshBuffer scores = allocate(mesh, 2 + round); // The sequence becomes longer, and fits into no earlier gap.
            allocate(mesh, 10); // The cache keeps its part of each round.
            scores.deallocate();
        });

        assertThatThrownBy(() -> assertThat(tracker).accumulation().hasStableFragmentation())
                .hasMessage("""

                        Expecting fragmentation not to grow from round to round, but:
                          4 rounds, the first for warming up
                          Free bytes of a bank outside its largest free block, change by each round:
                             L1 of mesh 0  [6144, 8192, 10240, 12288]  growing by 10 KiB (10240 B) per round on average; largest free block 1.22 MiB (1276576 B) after the last, 30 KiB (30720 B) smaller per round on average""");
    }

    @Test
    void isStableWhereALeakGrowsInOnePiece() {
        tracker.rounds(4, round -> allocate(mesh, 3));

        assertThat(tracker).accumulation().hasStableFragmentation();
        assertThatThrownBy(() -> assertThat(tracker).accumulation().doesNotGrow())
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void isStableWhereEachRoundFreesItsMemory() {
        MeshBuffer first = allocate(mesh, 5);
        allocate(mesh, 1);
        first.deallocate();
        tracker.rounds(4, round -> allocate(mesh, 3).deallocate());

        assertThat(tracker).accumulation().afterWarmUpOf(0).hasStableFragmentation();
    }

    @Test
    void isUnknownWhereAddressesAreWithheld() {
        AllocationTracker ofStrict = AllocationTracker.create();
        MeshDevice strict = open(Ttnn.builder(ofStrict).strict());
        ofStrict.rounds(4, round -> allocate(strict, 3));

        assertThatThrownBy(() -> assertThat(ofStrict).accumulation().hasStableFragmentation())
                .hasMessageContaining("No memory is known by where it begins");
    }

    /** {@code -Dmeshguard.seed=} with the printed number repeats a run. */
    @Test
    void agreesWithTheFreeListOfTheAllocator() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        Random random = new Random(seed);
        List<MeshBuffer> live = new ArrayList<>();
        List<Long> largest = new ArrayList<>();
        List<Long> fragmented = new ArrayList<>();
        for (int round = 1; round <= 40; round++) {
            try (Scope counted = tracker.round(round)) {
                for (int step = 0; step < 12; step++) {
                    if (random.nextInt(5) < 2 && !live.isEmpty()) {
                        live.remove(random.nextInt(live.size())).deallocate();
                    } else {
                        live.add(allocate(mesh, 1 + random.nextInt(6), random.nextBoolean()));
                    }
                }
            }
            largest.add(mesh.statistics(L1).largestFree());
            fragmented.add(mesh.statistics(L1).totalFree() - mesh.statistics(L1).largestFree());
        }

        FragmentationGrowth l1 =
                Accumulation.of(tracker.history()).fragmentation().get(0);

        Assertions.assertThat(RoundLevels.of(l1.largestFree()))
                .as("seed %d", seed)
                .isEqualTo(largest);
        Assertions.assertThat(RoundLevels.of(l1.fragmented()))
                .as("seed %d", seed)
                .isEqualTo(fragmented);
        Assertions.assertThat(l1.type()).isEqualTo(L1);
    }

    private static MeshBuffer allocate(MeshDevice mesh, int pages) {
        return allocate(mesh, pages, true);
    }

    private static MeshBuffer allocate(MeshDevice mesh, int pages, boolean bottomUp) {
        return mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, pages * PAGE * BANKS, PAGE)
                .inDirection(bottomUp ? AllocationDirection.BOTTOM_UP : AllocationDirection.TOP_DOWN)));
    }

    private static MeshDevice open(Ttnn.Builder ttnn) {
        return ttnn.build().openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));
    }
}
