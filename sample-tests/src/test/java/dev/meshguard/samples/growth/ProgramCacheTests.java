package dev.meshguard.samples.growth;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.ProgramCacheGrowth;
import dev.meshguard.verdict.growth.RoundVector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Rounds that compile a program for each new shape, and rounds that use the programs of the first. */
class ProgramCacheTests {

    private static final int TILE = 32;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final Ttnn ttnn = Ttnn.builder(tracker).build();
    private final MeshDevice mesh = open(ttnn);

    @Test
    void growsWhereEachRoundHasALongerSequence() {
        tracker.rounds(4, round -> decode(TILE * round));

        assertThatThrownBy(() -> assertThat(tracker).accumulation().hasStableProgramCache())
                .hasMessage("""

                        Expecting the program cache not to grow from round to round, but:
                          4 rounds, the first for warming up
                          Programs in the program cache, change by each round: [2, 1, 1, 1]
                          Programs in the program cache by operation, change by each round:
                             add  [1, 1, 1, 1]  growing by 3 in 3 rounds; 4 programs after the last round with binaries of 96 KiB (98304 B), 8 KiB (8192 B) in each bank
                                missed in round 2: %s
                                missed in round 3: %s
                                missed in round 4: %s
                             matmul  [1, 0, 0, 0]  settled; 1 program after the last round with binaries of 48 KiB (49152 B), 2 KiB (2048 B) in each bank
                          Fix: pad the shapes that miss to a few sizes, or clear the program cache.""", specs(64), specs(96), specs(128));
    }

    @Test
    void isStableWhereSequencesArePadded() {
        tracker.rounds(4, round -> decode(TILE * 4));

        assertThat(tracker).accumulation().hasStableProgramCache();
    }

    @Test
    void isStableWhereEachRoundClosesItsMesh() {
        tracker.rounds(4, round -> {
            MeshDevice ofRound = open(ttnn);
            decode(TILE, ofRound);
            ofRound.close();
        });

        assertThat(tracker).accumulation().afterWarmUpOf(0).hasStableProgramCache();
    }

    @Test
    void namesTheProgramsWhoseKeyWasNotReported() {
        tracker.rounds(6, round -> tracker.ownerCached(Owner.program(round + " (add)"), "program cache"));

        assertThatThrownBy(() -> assertThat(tracker).accumulation().hasStableProgramCache())
                .hasMessage("""

                        Expecting the program cache not to grow from round to round, but:
                          6 rounds, the first for warming up
                          Programs in the program cache by operation, change by each round:
                             operation not reported  [1, 1, 1, 1, 1, 1]  growing by 5 in 5 rounds; 6 programs after the last round with binaries of 0 B, 0 B in each bank
                                missed 1 time before, after the warm-up
                                missed in round 3: program 3 (add)
                                missed in round 4: program 4 (add)
                                missed in round 5: program 5 (add)
                                missed in round 6: program 6 (add)
                          Fix: pad the shapes that miss to a few sizes, or clear the program cache.""");
    }

    @Test
    void isUnknownWhereNoProgramIsCached() {
        tracker.rounds(4, round -> {});

        assertThatThrownBy(() -> assertThat(tracker).accumulation().hasStableProgramCache())
                .hasMessage("""

                        Expecting the program cache not to grow from round to round, but:
                          4 rounds, the first for warming up
                          No source reported that a cache keeps a program.""");
    }

    /** {@code -Dmeshguard.seed=} with the printed number repeats a run. */
    @Test
    void agreesWithTheKeysOfEachOperation() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        Random random = new Random(seed);
        Map<String, Set<Integer>> keys = new HashMap<>();
        Map<String, List<Long>> sizes = new HashMap<>();
        Map<String, Integer> misses = new HashMap<>();
        for (int round = 1; round <= 40; round++) {
            try (Scope counted = tracker.round(round)) {
                for (int step = 0; step < 5; step++) {
                    int tiles = 1 + random.nextInt(30);
                    String operation = random.nextBoolean() ? "add" : "matmul";
                    run(operation, TILE * tiles, mesh);
                    if (keys.computeIfAbsent(operation, unused -> new HashSet<>())
                            .add(tiles)) {
                        misses.merge(operation, 1, Integer::sum);
                    }
                }
                if (random.nextInt(10) == 0) {
                    mesh.clearProgramCache();
                    keys.values().forEach(Set::clear);
                }
            }
            for (String operation : List.of("add", "matmul")) {
                sizes.computeIfAbsent(operation, unused -> new ArrayList<>())
                        .add((long) keys.getOrDefault(operation, Set.of()).size());
            }
        }

        Assertions.assertThat(mesh.numProgramCacheEntries())
                .as("seed %d", seed)
                .isEqualTo(keys.values().stream().mapToInt(Set::size).sum());
        keys.forEach((operation, inCache) -> {
            ProgramCacheGrowth growth = growthOf(operation);
            Assertions.assertThat(levels(growth.programs()))
                    .as("%s, seed %d", operation, seed)
                    .isEqualTo(sizes.get(operation));
            Assertions.assertThat(growth.programsAtEnd()).as("seed %d", seed).isEqualTo(inCache.size());
            Assertions.assertThat(growth.misses()).as("seed %d", seed).hasSize(misses.getOrDefault(operation, 0));
        });
    }

    private ProgramCacheGrowth growthOf(String operation) {
        return Accumulation.of(tracker.history()).programCache().stream()
                .filter(growth -> growth.operation().orElse("").equals(operation))
                .findFirst()
                .orElseThrow();
    }

    private static List<Long> levels(RoundVector changes) {
        List<Long> levels = new ArrayList<>();
        long level = 0;
        for (int round = 1; round <= changes.rounds(); round++) {
            level += changes.retainedBy(round);
            levels.add(level);
        }
        return levels;
    }

    private static String specs(int length) {
        String spec = "(%d, %d) BFLOAT16 TILE DRAM".formatted(length, length);
        return "result " + String.join(", ", spec, spec, spec);
    }

    private void decode(int length) {
        decode(length, mesh);
    }

    private void decode(int length, MeshDevice on) {
        run("matmul", 2 * TILE, on); // The weights have one shape.
        run("add", length, on);
    }

    private void run(String operation, int length, MeshDevice on) {
        Tensor tokens = ttnn.empty(TensorShape.of(length, length), DataType.BFLOAT16, on);
        ttnn.deallocate(ttnn.launch(operation, tokens.spec(), tokens, tokens));
        ttnn.deallocate(tokens);
    }

    private static MeshDevice open(Ttnn ttnn) {
        return ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));
    }
}
