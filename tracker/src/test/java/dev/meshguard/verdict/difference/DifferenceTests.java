package dev.meshguard.verdict.difference;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.difference.HistoryDifference.PeakChange;
import dev.meshguard.verdict.difference.HistoryDifference.UsageChange;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DifferenceTests {

    @Test
    void runsThatDifferInAddressesAndLinesOnlyAreTheSame() {
        AllocationHistory before = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();
        AllocationHistory after = history()
                .allocate(DRAM, device(0), 0x9000, 64)
                .free(DRAM, device(0), 0x9000)
                .recorded();

        assertThat(HistoryDifference.between(before, after).isEmpty()).isTrue();
    }

    @Test
    void aNewSurvivorComesFirst() {
        AllocationHistory before = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();
        AllocationHistory after = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x2000, 4_096)
                .free(DRAM, device(0), 0x2000)
                .allocate(DRAM, device(0), 0x1000, 64)
                .recorded();

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
        AllocationHistory before =
                historyWithoutOrigins().allocate(L1, device(2), 0x1000, 64).recorded();
        AllocationHistory after = historyWithoutOrigins().recorded();

        HistoryDifference difference = HistoryDifference.between(before, after);

        assertThat(difference.changes())
                .extracting(UsageChange::additionalLiveBytes, UsageChange::moreBytes)
                .containsExactly(tuple(-64L, -64L));
        assertThat(difference.peaks()).containsExactly(new PeakChange(new DeviceMemory(2, L1), 64, 0));
    }

    @Test
    void mostDevicesAreTheRule() {
        AllocationHistory history = history()
                .mesh(0, 0, 1, 2, 3)
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .free(DRAM, devices(0, 2), 0x1000)
                .closed();

        assertThat(DeviceDifference.of(history).deviations()).singleElement().satisfies(deviation -> {
            assertThat(deviation.usual()).isEqualTo(new Usage(1, 64, 0, 0));
            assertThat(deviation.usualDevices()).containsExactly(0, 1, 2);
            assertThat(deviation.others()).containsExactly(Map.entry(3, new Usage(1, 64, 1, 64)));
        });
    }

    @Test
    void aDeviceThatDidNothingDiffersFromThoseThatDid() {
        AllocationHistory history = history()
                .mesh(0, 0, 1, 2)
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .closed();

        assertThat(DeviceDifference.of(history).deviations())
                .singleElement()
                .satisfies(deviation -> assertThat(deviation.others()).containsExactly(Map.entry(2, Usage.NOTHING)));
    }

    @Test
    void aDeviceThatMoreIsReportedForMayHaveMoreAndNotLess() {
        assertThat(DeviceDifference.of(reportedForDevice0(2, 1)).isEmpty()).isTrue();
        assertThat(DeviceDifference.of(reportedForDevice0(0, 1)).deviations())
                .singleElement()
                .satisfies(deviation -> assertThat(deviation.others()).containsOnlyKeys(0));
    }

    private static AllocationHistory reportedForDevice0(int ofDevice0, int ofOthers) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(new MeshDescription(0, "mesh", List.of(0, 1, 2), 0));
        for (int device = 0; device < 3; device++) {
            for (int buffer = 0; buffer < (device == 0 ? ofDevice0 : ofOthers); buffer++) {
                allocate(tracker, device, DRAM, 0x1000L * (buffer + 1));
            }
        }
        return tracker.history();
    }

    private static void allocate(AllocationTracker tracker, int device, BufferType type, long address) {
        tracker.allocated(device, type, address, 64);
    }

    @Test
    void devicesDifferThoughNoMeshWasReported() {
        AllocationHistory history = history()
                .allocate(DRAM, devices(0, 2), 0x1000, 64)
                .free(DRAM, devices(0, 1), 0x1000)
                .recorded();

        DeviceDifference difference = DeviceDifference.of(history);

        assertThat(difference.isEmpty()).isFalse();
        assertThat(difference.deviations())
                .singleElement()
                .satisfies(deviation ->
                        assertThat(deviation.others()).containsExactly(Map.entry(2, new Usage(1, 64, 1, 64))));
    }

    @Test
    void memoryOfNoDeviceIsNotCompared() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, DRAM, 4_096, 64);
        tracker.allocated(1, DRAM, 8_192, 64);
        tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);

        assertThat(DeviceDifference.of(tracker.history()).isEmpty()).isTrue();
    }

    @Test
    void ofTwoThingsThatAreEquallyCommonTheLowerDeviceDidTheUsual() {
        AllocationHistory history =
                history().mesh(0, 0, 1).allocate(DRAM, device(0), 0x1000, 64).closed();

        assertThat(DeviceDifference.of(history).deviations()).singleElement().satisfies(deviation -> {
            assertThat(deviation.usual()).isEqualTo(new Usage(1, 64, 1, 64));
            assertThat(deviation.usualDevices()).containsExactly(0);
            assertThat(deviation.others()).containsExactly(Map.entry(1, Usage.NOTHING));
        });
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
        assertThat(HistoryDifference.between(history().recorded(), inOneMethod(64, 128))
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

        assertThat(HistoryDifference.between(history().recorded(), tracker.history())
                        .changes())
                .extracting(UsageChange::origin)
                .containsExactly(Optional.empty());
    }

    @Test
    void ofChangesThatLeaveTheSameTheOneThatAsksForMoreOrLessComesFirst() {
        AllocationHistory before = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x1000, 4_096)
                .free(DRAM, device(0), 0x1000)
                .recorded();
        AllocationHistory after = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 128)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        assertThat(HistoryDifference.between(before, after).changes())
                .extracting(UsageChange::moreBytes)
                .containsExactly(-4_096L, 128L, -64L);
    }

    @Test
    void asMuchIsAtLeastAsMuchAndLessOfAnythingIsNot() {
        Usage usage = new Usage(2, 2, 2, 2);

        assertThat(usage.isAtLeast(new Usage(2, 2, 2, 2))).isTrue();
        assertThat(List.of(new Usage(3, 2, 2, 2), new Usage(2, 3, 2, 2), new Usage(2, 2, 3, 2), new Usage(2, 2, 2, 3)))
                .noneMatch(usage::isAtLeast);
    }

    private static AllocationHistory inOneMethod(long... sizes) {
        HistoryScript script = history();
        for (long size : sizes) {
            script.allocate(DRAM, device(0), 0x1000 * size, size);
        }
        return script.recorded();
    }

    private static AllocationHistory inAnother(long size) {
        return history().allocate(DRAM, device(0), 0x1000, size).recorded();
    }
}
