package dev.meshguard.verdict.difference;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.difference.HistoryDifference.PeakChange;
import dev.meshguard.verdict.difference.HistoryDifference.UsageChange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DifferenceTests {

    @Test
    void runsThatDifferInAddressesAndLinesOnlyAreTheSame() {
        AllocationHistory before = historyOf("allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0");
        AllocationHistory after = historyOf("allocate DRAM 0x9000 on 0; free DRAM 0x9000 on 0");

        assertThat(HistoryDifference.between(before, after).isEmpty()).isTrue();
    }

    @Test
    void aNewSurvivorComesFirst() {
        AllocationHistory before = historyOf("""
                without origins; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                """);
        AllocationHistory after = historyOf("""
                without origins; allocate DRAM 0x2000 on 0, size 4096; free DRAM 0x2000 on 0; allocate DRAM 0x1000 on 0
                """);

        HistoryDifference difference = HistoryDifference.between(before, after);

        assertThat(difference.changes())
                .extracting(UsageChange::before, UsageChange::after)
                .containsExactly(
                        tuple(new Usage(1, 64, 0, 0), new Usage(1, 64, 1, 64)),
                        tuple(Usage.NOTHING, new Usage(1, 4_096, 0, 0)));
        assertThat(difference.peaks()).containsExactly(new PeakChange(new DeviceMemory(0, DRAM), 64, 4_096));
    }

    @Test
    void whatIsGoneIsAChangeToo() {
        AllocationHistory before = historyOf("without origins; allocate L1 0x1000 on 2");
        AllocationHistory after = historyOf("");

        HistoryDifference difference = HistoryDifference.between(before, after);

        assertThat(difference.changes())
                .extracting(UsageChange::additionalLiveBytes, UsageChange::moreBytes)
                .containsExactly(tuple(-64L, -64L));
        assertThat(difference.peaks()).containsExactly(new PeakChange(new DeviceMemory(2, L1), 64, 0));
    }

    @Test
    void aChangeSaysWhereItIsInTheLaterRunOrWhereItWasInTheEarlier() {
        AllocationHistory before = inOneMethod(64);
        AllocationHistory after = inAnother(64);

        HistoryDifference difference = HistoryDifference.between(before, after);

        assertThat(difference.isEmpty()).isFalse();
        assertThat(difference.changes())
                .extracting(
                        change -> change.site().toString(),
                        change -> change.origin().orElseThrow().frames().get(0).getMethodName())
                .containsExactly(
                        tuple("DRAM from DifferenceTests.inAnother", "inAnother"),
                        tuple("DRAM from DifferenceTests.inOneMethod", "inOneMethod"));
    }

    @Test
    void buffersOfOneMethodAreOneSiteWhateverTheirSizes() {
        assertThat(HistoryDifference.between(historyOf(""), inOneMethod(64, 128))
                        .changes())
                .extracting(UsageChange::after)
                .containsExactly(new Usage(2, 192, 2, 192));
    }

    @Test
    void anOriginWithoutFramesIsNone() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(
                MemoryRequest.restored(AllocationDetails.user(), Optional.of(new Origin(List.of()))),
                0,
                DRAM,
                0x1000,
                64,
                Ownership.OWNING);

        assertThat(HistoryDifference.between(historyOf(""), tracker.history()).changes())
                .extracting(UsageChange::origin)
                .containsExactly(Optional.empty());
    }

    @Test
    void ofChangesThatLeaveTheSameTheOneThatAsksForMoreOrLessComesFirst() {
        AllocationHistory before = historyOf("""
                without origins; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 4096;
                free DRAM 0x1000 on 0
                """);
        AllocationHistory after = historyOf("""
                without origins; allocate DRAM 0x1000 on 0, size 128; free DRAM 0x1000 on 0
                """);

        assertThat(HistoryDifference.between(before, after).changes())
                .extracting(UsageChange::moreBytes)
                .containsExactly(-4_096L, 128L, -64L);
    }

    private static AllocationHistory inOneMethod(long... sizes) {
        AllocationTracker tracker = AllocationTracker.create();
        for (long size : sizes) {
            tracker.allocated(0, DRAM, 0x1000 * size, size);
        }
        return tracker.history();
    }

    private static AllocationHistory inAnother(long size) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, DRAM, 0x1000, size);
        return tracker.history();
    }
}
