package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhaseUsageTests {

    @Test
    void countsWhatIsLiveAtTheEndOfEachPhase() {
        var usages = phaseUsages(historyOf("""
                phase SETUP; allocate DRAM 0x1000 on 0, size 100; allocate DRAM 0x2000 on 0, size 10; phase TEST;
                free DRAM 0x1000 on 0; allocate DRAM 0x3000 on 0, size 1
                """));

        assertThat(usages).extracting(PhaseUsage::phase).containsExactly(Phase.SETUP, Phase.TEST);
        assertThat(usages).extracting(PhaseUsage::liveBytes).containsExactly(110L, 11L);
    }

    @Test
    void keepsThePeakOfEachPhaseByItself() {
        var usages = phaseUsages(historyOf("""
                phase SETUP; allocate DRAM 0x1000 on 0, size 100; allocate L1 0x1000 on 1, size 50; free L1 0x1000 on 1;
                phase TEST; free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 20
                """));

        assertThat(usages).extracting(PhaseUsage::peakBytes).containsExactly(150L, 100L);
    }

    @Test
    void countsWhatComesBeforeAnyPhaseAsStart() {
        var usages = phaseUsages(historyOf("allocate DRAM 0x1000 on 0; phase TEST"));

        assertThat(usages).containsExactly(new PhaseUsage(Phase.START, 64, 64), new PhaseUsage(Phase.TEST, 64, 64));
    }

    @Test
    void leavesOutAStartInWhichNothingHappened() {
        assertThat(phaseUsages(historyOf("phase TEST"))).containsExactly(new PhaseUsage(Phase.TEST, 0, 0));
        assertThat(phaseUsages(historyOf(""))).isEmpty();
    }

    @Test
    void countsAPhaseThatIsGoneBackToByItself() {
        var usages = phaseUsages(historyOf("""
                phase TEST; allocate DRAM 0x1000 on 0, size 1; phase SETUP; phase TEST;
                allocate DRAM 0x2000 on 0, size 2
                """));

        assertThat(usages).extracting(PhaseUsage::liveBytes).containsExactly(1L, 1L, 3L);
    }

    private static List<PhaseUsage> phaseUsages(AllocationHistory history) {
        return LeakCheck.create().examine(history).phaseUsages();
    }
}
