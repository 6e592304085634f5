package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Timeline.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhaseUsageTests {

    @Test
    void describesWhatWasAllocatedFreedAndRemaining() {
        var stretches = phaseUsages(history()
                .phase(Phase.SETUP)
                .allocate(DRAM, device(0), 0x1000, 100)
                .allocate(DRAM, device(0), 0x2000, 10)
                .phase(Phase.TEST)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x3000, 1)
                .recorded());

        assertThat(stretches).extracting(PhaseUsage::phase).containsExactly(Phase.SETUP, Phase.TEST);
        assertThat(dram(stretches.get(0))).isEqualTo(new Section(110, 2, 0, 110, 2, 110));
        assertThat(dram(stretches.get(1))).isEqualTo(new Section(1, 1, 100, 11, 2, 110));
        assertThat(stretches).extracting(PhaseUsage::liveBytes).containsExactly(110L, 11L);
    }

    @Test
    void keepsThePeakOfEachPhaseByItself() {
        var stretches = phaseUsages(history()
                .phase(Phase.SETUP)
                .allocate(DRAM, device(0), 0x1000, 100)
                .allocate(L1, device(1), 0x1000, 50)
                .free(L1, device(1), 0x1000)
                .phase(Phase.TEST)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x1000, 20)
                .recorded());

        assertThat(stretches).extracting(PhaseUsage::peakBytes).containsExactly(150L, 100L);
    }

    @Test
    void countsWhatComesBeforeAnyPhaseAsStart() {
        var stretches = phaseUsages(history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .phase(Phase.TEST)
                .recorded());

        assertThat(stretches).extracting(PhaseUsage::phase).containsExactly(Phase.START, Phase.TEST);
        assertThat(dram(stretches.get(1))).isEqualTo(new Section(0, 0, 0, 64, 1, 64));
    }

    @Test
    void leavesOutAStartInWhichNothingHappened() {
        assertThat(phaseUsages(history().phase(Phase.TEST).recorded()))
                .containsExactly(new PhaseUsage(Phase.TEST, new java.util.TreeMap<>(), 0, 0));
        assertThat(phaseUsages(history().recorded())).isEmpty();
    }

    @Test
    void countsAPhaseThatIsGoneBackToByItself() {
        var stretches = phaseUsages(history()
                .phase(Phase.TEST)
                .allocate(DRAM, device(0), 0x1000, 1)
                .phase(Phase.SETUP)
                .phase(Phase.TEST)
                .allocate(DRAM, device(0), 0x2000, 2)
                .recorded());

        assertThat(stretches)
                .extracting(stretch -> dram(stretch).allocatedBytes())
                .containsExactly(1L, 0L, 2L);
    }

    @Test
    void leavesOutMemoryThatWasEmptyAllTheTime() {
        var stretches = phaseUsages(history()
                .phase(Phase.SETUP)
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .free(DRAM, devices(0, 1), 0x1000)
                .phase(Phase.TEST)
                .allocate(L1, device(1), 0x1000, 64)
                .recorded());

        assertThat(stretches.get(0).flows()).containsOnlyKeys(new DeviceMemory(0, DRAM), new DeviceMemory(1, DRAM));
        assertThat(dram(stretches.get(0))).isEqualTo(new Section(64, 1, 64, 0, 0, 64));
        assertThat(stretches.get(1).flows()).containsOnlyKeys(new DeviceMemory(1, L1));
    }

    private static Section dram(PhaseUsage usage) {
        return usage.flows().get(new DeviceMemory(0, DRAM));
    }

    private static List<PhaseUsage> phaseUsages(AllocationHistory history) {
        return LeakCheck.create().examine(history).phaseUsages();
    }
}
