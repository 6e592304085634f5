package dev.meshguard.samples.first;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;

/** What the failing first steps print; the whole message of {@link ForgottenFreeTestCase} is in the README. */
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
        assertThat(Fixtures.failureOf(TwoTablesTestCase.class))
                .hasMessageStartingWith("LEAK  2 MiB in 8 DRAM buffers, LOST; allocated in TwoTablesTestCase.java:25\n")
                .hasMessageContaining("""
                        Expected and present: 8 buffers, 2 MiB (2097152 B) (DRAM, label "rotary table", at most 8 buffers, because "one table a device is shared"); 8 more than that allows""");
    }
}
