package dev.meshguard.samples.reported;

import static dev.meshguard.samples.support.Fixtures.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Reported programs whose memory other programs own, in the program cache: what is said about each. */
@TestInstance(Lifecycle.PER_CLASS) // The programs run once.
class CachedProgramsTests {

    private final Map<String, Optional<Throwable>> failures = Fixtures.runByDisplayName(CachedProgramsTestCase.class);

    @Test
    void saysWhichProgramsFillTheMemory() {
        Throwable failure = failureOf("convolvesManySizes(Ttnn, MeshDevice)");

        assertThat(failure).hasMessage("""
                Out of Memory: Not enough space to allocate 16384 B L1_SMALL buffer across 64 banks, where each bank needs to store 256 B, but bank size is 16384 B (allocated: 16384 B, free: 0 B, largest free block: 0 B)
                full: each bank has to store 256 B, and has 0 B free
                held in each bank:
                  16 KiB  64 buffers, label "halo config", owners 16 programs (conv_transpose2d), allocated at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                    called at dev.meshguard.samples.reported.CachedProgramsTestCase.convolve(CachedProgramsTestCase.java:69)
                to make room, free 256 B of each bank, from 0x16a000 (1482752) to 0x16a100 (1483008):
                  256 B  1 buffer, label "halo config", owner program 16 (conv_transpose2d), allocated at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                a program keeps its memory until its workload is closed, and a program in the cache until mesh.clearProgramCache()""");
        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(failure.getSuppressed()[0]).satisfies(message("""
                OUT OF MEMORY  L1_SMALL full: 256 B needed in each bank, 0 B free
                   why   full: each bank has to store 256 B, and has 0 B free
                         CACHED: the program cache has one program of conv_transpose2d for each of 16 shapes, such as result (1, 8, 32,
                         32) BFLOAT16 TILE DRAM, …
                   held  16 KiB by 64 buffers, label "halo config", owners 16 programs (conv_transpose2d), allocated at
                         dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                   fix   Call mesh.clearProgramCache() where the shapes change, or pad the tensors to fewer shapes.

                remaining after the failure: 384 KiB in 8 DRAM buffers, LOST; allocated in CachedProgramsTestCase.java:73
                1. DRAM  8 x 48 KiB, one on each of devices 0-7
                   at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:73)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported (event #2394)
                   fix   Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (events #1438 to #1445)
                         the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #2379)

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                note    the test threw DeviceOutOfMemoryException before this check, so what frees memory may not have run
                sum     928 allocated = 920 freed + 8 leaked
                rerun   mvn test -Dtest=CachedProgramsTestCase#convolvesManySizes"""));
    }

    @Test
    void saysWhoseSemaphoresAreInTheWay() {
        assertThat(failureOf("reducesAnotherShapeAfterEveryTwelveLayers(Ttnn, MeshDevice)"))
                .hasMessage("""
                Statically allocated circular buffers in program 39 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer allocated at 1498368 and static circular buffer region ends at 1498624
                occupied: the circular buffers of program 39 (ring_mla) need 1.33 MiB (1394848 B) from 0x19560 (103776) to 0x16de00 (1498624)
                there, in each bank:
                  256 B  8 buffers, label "global semaphore", owner program 38 (all_reduce), allocated at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                    called at dev.meshguard.samples.reported.CachedProgramsTestCase.reducesAnotherShapeAfterEveryTwelveLayers(CachedProgramsTestCase.java:62)
                to make room, free 256 B of each bank, all that is listed
                a program keeps its memory until its workload is closed, and a program in the cache until mesh.clearProgramCache()""");
    }

    @Test
    void saysForHowManyShapesTheCacheKeepsPrograms() {
        assertThat(failureOf("closesTheMeshWithAllSizesCached(Ttnn, MeshDevice)"))
                .satisfies(message("""
                LEAK  120.06 MiB in 7696 buffers, CACHED; allocated in CachedProgramsTestCase.java:74

                1. L1_SMALL  6144 x 16 KiB, 768 on each of devices 0-7, label "halo config", owned by 192 programs (conv_transpose2d),
                   and 1552 buffers (24.06 MiB) with them
                   at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                   why   CACHED: program 1 (conv_transpose2d) has been in the program cache since event #62 and never left it; and 191
                         more like it
                   fix   Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh): closing a mesh does not clear the
                         program cache.
                   seen  allocated in TEST (events #30 to #17060)
                         the program cache has one program of conv_transpose2d for each of 192 shapes, such as result (1, 199, 32, 32)
                         BFLOAT16 TILE DRAM, …
                   with  L1  16 x 4 KiB (64 KiB) on devices 0-7, owned by 192 programs (conv_transpose2d)
                         DRAM  1536 x 16 KiB (24 MiB) on devices 0-7, owned by 192 programs (conv_transpose2d)

                sum     10768 allocated = 3072 freed + 7696 leaked
                expect  @ExpectBuffers(type = L1_SMALL, size = 16384, atMost = 6144, label = "halo config", origin = "CachedProgramsTestCase.run", because = "…")
                rerun   mvn test -Dtest=CachedProgramsTestCase#closesTheMeshWithAllSizesCached"""));
    }

    @Test
    void saysWhichOperationGrowsInRounds() {
        assertThat(failureOf("round 3")).hasMessage("""
                Memory grows with the rounds of CachedProgramsTestCase#convolvesAnotherSizeInEachRound:
                  GROWING  3 rounds, the first for warming up · memory grows: DRAM of devices 0-7 by 16 KiB (16384 B) per round, and 1 more
                  Memory retained by each round, in bytes:
                     DRAM of devices 0-7  [16384, 16384, 16384]  growing by 16 KiB (16384 B) per round, in rounds 2-3
                     L1 of devices 0-7  [8192, 0, 0]  settled
                     L1_SMALL of devices 0-7  [65536, 65536, 65536]  growing by 64 KiB (65536 B) per round, in rounds 2-3
                  Call sites, the worst first:
                     L1_SMALL "halo config" from CachedProgramsTestCase.run, buffers retained on devices 0-7: [4, 4, 4], growing
                        at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                        the program cache has one program of conv_transpose2d for each of 3 shapes, such as result (1, 10, 32, 32) BFLOAT16 TILE DRAM, …
                     DRAM from CachedProgramsTestCase.run, buffers retained on devices 0-7: [1, 1, 1], growing
                        at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                        the program cache has one program of conv_transpose2d for each of 3 shapes, such as result (1, 10, 32, 32) BFLOAT16 TILE DRAM, …
                     L1 from CachedProgramsTestCase.run, buffers retained on devices 0-7: [2, 0, 0], settled
                        at dev.meshguard.samples.reported.CachedProgramsTestCase.run(CachedProgramsTestCase.java:74)
                        the program cache has 1 program of conv_transpose2d, for result (1, 8, 32, 32) BFLOAT16 TILE DRAM, …
                  Fix: Call mesh.clearProgramCache() where the shapes change, or pad the tensors to fewer shapes.
                rerun   mvn test -Dtest=CachedProgramsTestCase#convolvesAnotherSizeInEachRound""");
    }

    private Throwable failureOf(String test) {
        return failures.get(test).orElseThrow();
    }
}
