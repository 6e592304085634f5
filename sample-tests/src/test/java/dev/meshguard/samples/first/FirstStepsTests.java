package dev.meshguard.samples.first;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;

/** Compares the whole messages of the failing first steps; that of {@link ForgottenFreeTestCase} is in the README. */
class FirstStepsTests {

    @Test
    void aSecondFreeNamesBothSides() {
        assertThat(Fixtures.failureOf(FreedTwiceTestCase.class)).satisfies(Fixtures.message("""
                Expecting no double free but found 1:
                1. DRAM 0x2d4c40 (2968640) on devices 0, 1, 2, 3, 4, 5, 6, 7: second free, ignored by the runtime ({free ignored 1})
                   at dev.meshguard.samples.first.FreedTwiceTestCase.free(FreedTwiceTestCase.java:24)
                   the buffer that was there, 2 KiB (2048 B), was allocated at {allocated 1}
                   at dev.meshguard.samples.first.FreedTwiceTestCase.free(FreedTwiceTestCase.java:22)
                   and freed before, at {freed 1}
                   at an unknown place (no origin was captured)
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
                LEAK  2 MiB in 8 DRAM buffers, LOST; allocated in TwoTablesTestCase.java:25

                1. DRAM  8 x 256 KiB, one on each of devices 0-7, label "rotary table"
                   at dev.meshguard.samples.first.TwoTablesTestCase.keepsTwoTables(TwoTablesTestCase.java:25)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported ({last handle traced})
                   fix   Keep a reference to the buffer until it is freed: without one, no code can free it.
                   seen  allocated in TEST (events #22 to #29)
                         the allocator reported 0x2da440 (2991168) as allocated when close began ({witnessed 1})

                Expected and present: 8 buffers, 2 MiB (2097152 B) (DRAM, label "rotary table", at most 8 buffers, because "one table a device is shared"); 8 more than that allows
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     16 allocated = 0 freed + 8 leaked + 8 expected
                expect  @ExpectBuffers(type = DRAM, size = 262144, atMost = 8, label = "rotary table", origin = "TwoTablesTestCase.keepsTwoTables", because = "…")
                rerun   mvn test -Dtest=TwoTablesTestCase#keepsTwoTables"""));
    }

    @Test
    void aSystemBufferThatOutlivesTheCloseNamesItsOwner() {
        assertThat(Fixtures.failureOf(SystemBufferTestCase.class)).satisfies(Fixtures.message("""
                LEAK  96 KiB in 8 DRAM buffers, SYSTEM; allocated in SystemBufferTestCase.java:26

                1. DRAM  8 x 12 KiB, one on each of devices 0-7, owned by dispatch "prefetcher"
                   at dev.meshguard.samples.first.SystemBufferTestCase.initialisesItsDevicesTwice(SystemBufferTestCase.java:26)
                   why   SYSTEM: owned by dispatch "prefetcher", lifetime SYSTEM: the runtime has to free it at close
                   fix   Free it where its owner shuts down, or expect it with a reason.
                   seen  allocated in OPEN (events #12 to #19)
                         the allocator reported 0x2d4c40 (2968640) as allocated before the allocators were wiped ({witnessed 2})
                         8 of 16 buffers from this line were freed, in CLOSE; these were first passed over at {freed 1}

                sum     16 allocated = 8 freed + 8 leaked
                expect  @ExpectBuffers(type = DRAM, size = 12288, atMost = 8, origin = "SystemBufferTestCase.initialisesItsDevicesTwice", because = "…")"""));
    }
}
