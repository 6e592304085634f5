package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.tracker.AllocationTracker;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AmountAssertionsTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @BeforeEach
    void oneBufferTwiceAndOneFreed() {
        tracker.allocated(0, BufferType.DRAM, 4096, 2048);
        tracker.allocated(0, BufferType.DRAM, 4096, 2048);
        tracker.allocated(1, BufferType.L1, 64, 32);
        tracker.freed(1, BufferType.L1, 64);
    }

    @Test
    void countsWhatIsAllocatedNow() {
        assertThat(tracker)
                .hasLiveBuffers(1)
                .hasLiveBytes(BufferType.DRAM, 0, 2048)
                .hasLiveBytes(BufferType.L1, 1, 0)
                .hasLiveBytes(BufferType.DRAM, 7, 0);
    }

    @Test
    void countsThePeak() {
        assertThat(tracker)
                .hasPeakBytes(BufferType.L1, 1, 32)
                .hasPeakBytesAtMost(BufferType.L1, 1, 32)
                .hasPeakBytesAtMost(BufferType.L1, 1, 33);
    }

    @Test
    void anotherNumberOfBuffersIsShownWithAllThatIsAllocated() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasLiveBuffers(2)))
                .isEqualTo("""

                Expecting live buffers on all devices to be:
                  2
                but found:
                  1
                in:
                  device 0 DRAM USER: 2 KiB (2048 B) in 1 buffer""");
    }

    @Test
    void anotherNumberOfBytesIsShownWithAllThatIsAllocated() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasLiveBytes(BufferType.L1, 1, 32)))
                .isEqualTo("""

                        Expecting live bytes of L1 on device 1 to be:
                          32 B
                        but found:
                          0 B
                        in:
                          device 0 DRAM USER: 2 KiB (2048 B) in 1 buffer""");
    }

    @Test
    void anotherPeakIsShown() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 4096)))
                .startsWith("""

                        Expecting peak bytes of DRAM on device 0 to be:
                          4 KiB (4096 B)
                        but found:
                          2 KiB (2048 B)
                        """);
    }

    @Test
    void aLargerPeakIsShown() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasPeakBytesAtMost(BufferType.DRAM, 0, 2047)))
                .startsWith("""

                        Expecting peak bytes of DRAM on device 0 to be at most:
                          2 KiB (2047 B)
                        but found:
                          2 KiB (2048 B)
                        """);
    }

    @Test
    void readsTheLedgerUnderAPolicy() {
        assertThat(tracker)
                .ledger(CountingPolicy.EVERY_REPORT)
                .hasBytes(BufferType.DRAM, 0, 4096)
                .hasBytes(BufferType.DRAM, 4096)
                .hasPeakBytes(BufferType.L1, 1, 32)
                .hasReports(2)
                .hasReportsOn(0, 2)
                .hasPeakReportsOn(1, 1)
                .hasEntries(1)
                .hasEntriesOn(0, 1)
                .hasPeakEntries(2)
                .hasUnknownFrees(0);
    }

    @Test
    void aLedgerThatSumsToZeroIsEmpty() {
        tracker.freed(0, BufferType.DRAM, 4096);

        assertThat(tracker).ledger(CountingPolicy.ONCE_PER_ADDRESS).isEmpty();
        Assertions.assertThat(textOf(() -> assertThat(tracker)
                        .ledger(CountingPolicy.REFERENCE_COUNTED)
                        .isEmpty()))
                .startsWith("\nExpecting the ledger to be empty but found:\n  Books read as REFERENCE_COUNTED");
    }

    @Test
    void showsTheLedgerWhereANumberDiffers() {
        Assertions.assertThat(textOf(() ->
                        assertThat(tracker).ledger(CountingPolicy.EVERY_REPORT).hasUnknownFrees(1)))
                .startsWith("""

                        Expecting frees of unknown addresses to be:
                          1
                        but found:
                          0
                        in:
                          Books read as EVERY_REPORT""");
    }

    @Test
    void verifiesEachNumberOfTheLedger() {
        LedgerAssert books = assertThat(tracker.history().ledger(CountingPolicy.EVERY_REPORT));

        Assertions.assertThat(textOf(() -> books.hasBytes(BufferType.DRAM, 0, 1)))
                .contains("bytes of DRAM on device 0");
        Assertions.assertThat(textOf(() -> books.hasBytes(BufferType.DRAM, 1)))
                .contains("bytes of DRAM on all devices");
        Assertions.assertThat(textOf(() -> books.hasPeakBytes(BufferType.DRAM, 0, 1)))
                .contains("peak bytes of DRAM on device 0");
        Assertions.assertThat(textOf(() -> books.hasReports(1))).contains("reports on all devices");
        Assertions.assertThat(textOf(() -> books.hasReportsOn(0, 1))).contains("reports on device 0");
        Assertions.assertThat(textOf(() -> books.hasPeakReportsOn(0, 1))).contains("peak reports on device 0");
        Assertions.assertThat(textOf(() -> books.hasEntries(9))).contains("entries on all devices");
        Assertions.assertThat(textOf(() -> books.hasEntriesOn(0, 9))).contains("entries on device 0");
        Assertions.assertThat(textOf(() -> books.hasPeakEntries(9))).contains("peak entries on all devices");
    }

    @Test
    void aSnapshotIsCounted() {
        assertThat(tracker.snapshot()).hasBytes(BufferType.DRAM, 0, 2048).hasBuffers(1);
        Assertions.assertThat(textOf(() -> assertThat(tracker.snapshot()).hasBytes(BufferType.DRAM, 0, 0)))
                .startsWith("\nExpecting bytes of DRAM on device 0 to be:\n  0 B\nbut found:\n  2 KiB (2048 B)\nin:\n");
        Assertions.assertThat(textOf(() -> assertThat(tracker.snapshot()).hasBuffers(0)))
                .startsWith("\nExpecting buffers on all devices to be:\n  0\nbut found:\n  1\nin:\n");
    }

    @Test
    void theDifferenceOfTwoEqualSnapshotsIsEmpty() {
        MemorySnapshot before = tracker.snapshot();

        assertThat(tracker.snapshot().minus(before)).isEmpty();
        Assertions.assertThat(textOf(() -> assertThat(before).isEmpty())).isEqualTo("""

                Expecting nothing to be allocated but found:
                  device 0 DRAM USER: 2 KiB (2048 B) in 1 buffer""");
    }

    @Test
    void aSnapshotGrowsOnlyByWhatCame() {
        MemorySnapshot before = tracker.snapshot();
        tracker.freed(0, BufferType.DRAM, 4096);
        tracker.freed(0, BufferType.DRAM, 4096);

        assertThat(tracker.snapshot()).hasNotGrownSince(before);
        tracker.allocated(0, BufferType.L1, 64, 32);
        Assertions.assertThat(textOf(() -> assertThat(tracker.snapshot()).hasNotGrownSince(before)))
                .isEqualTo("""

                        Expecting no memory to hold more than before, but since then it grew (or, if negative, shrank) by:
                          device 0 DRAM USER: -2 KiB (-2048 B) in -1 buffers
                          device 0 L1 USER: 32 B in 1 buffer""");
    }
}
