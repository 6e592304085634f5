package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhaseUsageTests {

    @Test
    void countsWhatIsLiveAtTheEndOfEachPhase() {
        var usages = phaseUsages(history()
                .phase(Phase.SETUP)
                .allocate(DRAM, device(0), 0x1000, 100)
                .allocate(DRAM, device(0), 0x2000, 10)
                .phase(Phase.TEST)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x3000, 1)
                .recorded());

        assertThat(usages).extracting(PhaseUsage::phase).containsExactly(Phase.SETUP, Phase.TEST);
        assertThat(usages).extracting(PhaseUsage::liveBytes).containsExactly(110L, 11L);
    }

    @Test
    void keepsThePeakOfEachPhaseByItself() {
        var usages = phaseUsages(history()
                .phase(Phase.SETUP)
                .allocate(DRAM, device(0), 0x1000, 100)
                .allocate(L1, device(1), 0x1000, 50)
                .free(L1, device(1), 0x1000)
                .phase(Phase.TEST)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x1000, 20)
                .recorded());

        assertThat(usages).extracting(PhaseUsage::peakBytes).containsExactly(150L, 100L);
    }

    @Test
    void countsWhatComesBeforeAnyPhaseAsStart() {
        var usages = phaseUsages(history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .phase(Phase.TEST)
                .recorded());

        assertThat(usages).containsExactly(new PhaseUsage(Phase.START, 64, 64), new PhaseUsage(Phase.TEST, 64, 64));
    }

    @Test
    void leavesOutAStartInWhichNothingHappened() {
        assertThat(phaseUsages(history().phase(Phase.TEST).recorded()))
                .containsExactly(new PhaseUsage(Phase.TEST, 0, 0));
        assertThat(phaseUsages(history().recorded())).isEmpty();
    }

    @Test
    void countsAPhaseThatIsGoneBackToByItself() {
        var usages = phaseUsages(history()
                .phase(Phase.TEST)
                .allocate(DRAM, device(0), 0x1000, 1)
                .phase(Phase.SETUP)
                .phase(Phase.TEST)
                .allocate(DRAM, device(0), 0x2000, 2)
                .recorded());

        assertThat(usages).extracting(PhaseUsage::liveBytes).containsExactly(1L, 1L, 3L);
    }

    private static List<PhaseUsage> phaseUsages(AllocationHistory history) {
        return LeakCheck.create().examine(history).phaseUsages();
    }
}
