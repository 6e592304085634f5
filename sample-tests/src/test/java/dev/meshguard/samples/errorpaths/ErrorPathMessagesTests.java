package dev.meshguard.samples.errorpaths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Compares the whole messages of the failing tests. */
class ErrorPathMessagesTests {

    @Test
    void eachRunThatLeaksNamesTheAllocationThatFailed() {
        Map<String, Optional<Throwable>> runs = Fixtures.runByDisplayName(CarelessDecoderTestCase.class);

        assertThat(runs.keySet())
                .containsExactly(
                        "without faults",
                        "allocation 1 of 4 fails: CarelessDecoder.decode:18",
                        "allocation 2 of 4 fails: CarelessDecoder.decode:19",
                        "allocation 3 of 4 fails: CarelessDecoder.decode:20",
                        "allocation 4 of 4 fails: CarelessDecoder.decode:20");
        assertThat(runs.get("without faults")).isEmpty();
        assertThat(runs.get("allocation 1 of 4 fails: CarelessDecoder.decode:18"))
                .isEmpty();
        assertThat(runs.get("allocation 2 of 4 fails: CarelessDecoder.decode:19"))
                .hasValueSatisfying(failure -> assertThat(failure).satisfies(Fixtures.message("""
                LEAK  2 MiB in 2 DRAM buffers, LOST; allocated in CarelessDecoder.java:18

                1. DRAM  2 x 1 MiB, one on each of devices 0-1
                   at dev.meshguard.samples.errorpaths.CarelessDecoder.decode(CarelessDecoder.java:18)
                   at dev.meshguard.samples.errorpaths.CarelessDecoderTestCase.decode(CarelessDecoderTestCase.java:19)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported ({handle traced})
                   fix   Keep a reference to the buffer until it is freed: without one, no code can free it.
                   seen  allocated in TEST (events #8 to #9)
                         the allocator reported 0x2d4c40 (2968640) as allocated when close began ({witnessed 1})

                note    allocation 2 of 4 failed by injection: DRAM at
                        dev.meshguard.samples.errorpaths.CarelessDecoder.decode(CarelessDecoder.java:19)
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     2 allocated = 0 freed + 2 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1048576, atMost = 2, origin = "CarelessDecoder.decode", because = "…")
                rerun   mvn test -Dtest=CarelessDecoderTestCase#decode""")));
    }

    @Test
    void growthNamesTheLine() {
        Map<String, Optional<Throwable>> rounds = Fixtures.runByDisplayName(GrowingCacheTestCase.class);

        assertThat(rounds.keySet()).containsExactly("round 1 (warm-up)", "round 2", "round 3");
        assertThat(rounds.get("round 3"))
                .hasValueSatisfying(failure -> assertThat(failure).hasMessage("""
                Memory grows with the rounds of GrowingCacheTestCase#decode:
                  GROWING  3 rounds, the first for warming up · memory grows: DRAM of devices 0-1 by 1 MiB (1048576 B) per round
                  Memory retained by each round, in bytes:
                     DRAM of devices 0-1  [1060864, 1048576, 1048576]  growing by 1 MiB (1048576 B) per round
                     L1 of devices 0-1  [12288, 0, 0]  settled
                  Call sites, the worst first:
                     DRAM from GrowingCacheTestCase.decode, buffers retained on devices 0-1: [1, 1, 1], growing
                        at dev.meshguard.samples.errorpaths.GrowingCacheTestCase.decode(GrowingCacheTestCase.java:20)
                     L1 from CarefulDecoder.weigh, buffers retained on devices 0-1: [3, 0, 0], settled
                        at dev.meshguard.samples.errorpaths.CarefulDecoder.weigh(CarefulDecoder.java:25)
                     DRAM from CarefulDecoder.weigh, buffers retained on devices 0-1: [1, 0, 0], settled
                        at dev.meshguard.samples.errorpaths.CarefulDecoder.weigh(CarefulDecoder.java:25)
                rerun   mvn test -Dtest=GrowingCacheTestCase#decode"""));
    }
}
