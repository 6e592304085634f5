package dev.meshguard.samples.first;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;

/** Compares the whole messages of the failing first steps. */
class FirstStepsTests {

    @Test
    void aForgottenFreeNamesTheLineThatAllocated() {
        assertThat(Fixtures.failureOf(ForgottenFreeTestCase.class)).satisfies(Fixtures.message("""
                LEAK  1 leak · 8 buffers · 8 MiB (8388608 B) still allocated after close_mesh_device      [16 allocated = 8 freed + 8 leaked]
                1. DRAM 1 MiB (1048576 B) x 8   devices ●●●●●●●●   HELD: still referenced by ForgottenFreeTestCase.cache -> ArrayList[0] ({handle traced})
                   -> at dev.meshguard.samples.first.ForgottenFreeTestCase.decode(ForgottenFreeTestCase.java:23)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began ({witnessed 1})
                   allocated in TEST ({allocated 1 to 8}) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                        remaining
                DRAM     16 buffers, 12 MiB (12582912 B)  8 buffers, 8 MiB (8388608 B)
                Teardown  freed                              remaining
                TEST      DRAM 512 KiB on each of 8 devices  DRAM 1 MiB on each of 8 devices
                CLOSE     nothing                            DRAM 1 MiB on each of 8 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  12 MiB -> 8 MiB
                CLOSE     |####################          |  8 MiB -> 8 MiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1048576, atMost = 8, origin = "ForgottenFreeTestCase.decode", because = "…")
                   as a line of a file: DRAM size 1048576 count atMost 8 origin "ForgottenFreeTestCase.decode" because "…"
                Reproduce: mvn test -Dtest=ForgottenFreeTestCase#decode"""));
    }

    @Test
    void aSecondFreeNamesBothSides() {
        assertThat(Fixtures.failureOf(FreedTwiceTestCase.class)).satisfies(Fixtures.message("""
                Expecting no double free but found 1:
                1. DRAM 0x2d4c40 (2968640) on devices 0, 1, 2, 3, 4, 5, 6, 7: second free, ignored by the runtime ({free ignored 1})
                   -> at dev.meshguard.samples.first.FreedTwiceTestCase.free(FreedTwiceTestCase.java:24)
                   the buffer that was there, 2 KiB (2048 B), was allocated at {allocated 1}
                   -> at dev.meshguard.samples.first.FreedTwiceTestCase.free(FreedTwiceTestCase.java:22)
                   and freed before, at {freed 1}
                   -> at an unknown place (no origin was captured)
                To see who freed first, record with OriginCapture.ALLOCATIONS_AND_FREES."""));
    }

    @Test
    void aClosedMeshAllocatesNothing() {
        assertThat(Fixtures.failureOf(UsedAfterCloseTestCase.class)).hasMessage("""
                SubDeviceManagerTracker is not initialized on MeshDevice 0. This MeshDevice contains only remote devices (so the runtime; in fact mesh 0 was closed: use it before closeMeshDevice, or open a new mesh)""");
    }

    @Test
    void oneBufferMoreThanExpectedIsALeak() {
        assertThat(Fixtures.failureOf(TwoTablesTestCase.class)).satisfies(Fixtures.message("""
                LEAK  1 leak · 8 buffers · 2 MiB (2097152 B) still allocated after close_mesh_device      [16 allocated = 0 freed + 8 leaked + 8 expected]
                1. DRAM 256 KiB (262144 B) x 8   devices ●●●●●●●●   LOST: no handle to it is reachable any more, and no free of it was reported ({last handle traced})
                   -> at dev.meshguard.samples.first.TwoTablesTestCase.keepsTwoTables(TwoTablesTestCase.java:25)
                   the allocator reported 0x2da440 (2991168) as allocated when close began ({witnessed 1})
                   allocated in TEST ({allocated 9 to 16}) at 0x2da440 (2991168), label "rotary table"

                Tracked  allocated                      remaining
                DRAM     16 buffers, 4 MiB (4194304 B)  16 buffers, 4 MiB (4194304 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 512 KiB on each of 8 devices
                CLOSE        nothing  DRAM 512 KiB on each of 8 devices
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  4 MiB -> 4 MiB
                CACHE_CLEAR  |##############################|  4 MiB -> 4 MiB
                CLOSE        |##############################|  4 MiB -> 4 MiB

                Expected and present: 8 buffers, 2 MiB (2097152 B) (DRAM, label "rotary table", at most 8 buffers, because "one table a device is shared"); 8 more than that allows
                LOST: Keep the handle until the buffer is freed: without it, no code can free it.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 262144, atMost = 8, label = "rotary table", origin = "TwoTablesTestCase.keepsTwoTables", because = "…")
                   as a line of a file: DRAM size 262144 count atMost 8 label "rotary table" origin "TwoTablesTestCase.keepsTwoTables" because "…"
                Note: mesh 0 was still open; MeshGuard cleared its program cache and closed it
                Reproduce: mvn test -Dtest=TwoTablesTestCase#keepsTwoTables"""));
    }

    @Test
    void aSystemBufferThatOutlivesTheCloseNamesItsOwner() {
        assertThat(Fixtures.failureOf(SystemBufferTestCase.class)).satisfies(Fixtures.message("""
                LEAK  1 leak · 8 buffers · 96 KiB (98304 B) still allocated after close_mesh_device      [16 allocated = 8 freed + 8 leaked]
                1. DRAM 12 KiB (12288 B) x 8   devices ●●●●●●●●   SYSTEM: owned by dispatch "prefetcher", lifetime SYSTEM: the runtime has to free it at close
                   -> at dev.meshguard.samples.first.SystemBufferTestCase.initialisesItsDevicesTwice(SystemBufferTestCase.java:26)
                   the allocator reported 0x2d4c40 (2968640) as allocated before the allocators were wiped ({witnessed 2})
                   allocated in OPEN ({allocated 1 to 8}) at 0x2d4c40 (2968640), unlabelled, owned by dispatch "prefetcher"
                   8 of 16 buffers from this line were freed, in CLOSE; these were first passed over at {freed 1}

                Tracked      allocated                       remaining
                System DRAM  16 buffers, 192 KiB (196608 B)  8 buffers, 96 KiB (98304 B)
                Teardown  freed                             remaining
                CLOSE     DRAM 12 KiB on each of 8 devices  DRAM 12 KiB on each of 8 devices
                Timeline  live bytes, peak of the phase     peak -> end
                OPEN      |##############################|  192 KiB -> 192 KiB
                CLOSE     |##############################|  192 KiB -> 96 KiB

                SYSTEM: Free it where its owner shuts down, or expect it with a reason.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 12288, atMost = 8, origin = "SystemBufferTestCase.initialisesItsDevicesTwice", because = "…")
                   as a line of a file: DRAM size 12288 count atMost 8 origin "SystemBufferTestCase.initialisesItsDevicesTwice" because "…\""""));
    }
}
