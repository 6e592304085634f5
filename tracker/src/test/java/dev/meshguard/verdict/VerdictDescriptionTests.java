package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The parts of a verdict describe themselves in a debugger or an assertion. */
class VerdictDescriptionTests {

    @Test
    void evidenceAndInconclusiveReasonsArePrintedAsTheirText() {
        assertThat(Evidence.of("no free was reported", 3)).hasToString("no free was reported");
        assertThat(new InconclusiveReason(InconclusiveReason.Kind.REPORTS_LOST, "1 report is missing.", List.of(3L)))
                .hasToString("1 report is missing.");
    }

    @Test
    void aSurvivorIsPrintedWithItsCauseStatusAndBuffer() {
        LeakVerdict verdict = LeakCheck.create().examine(historyOf("allocate DRAM 0x1000 on 3"));

        assertThat(verdict.survivors().get(0))
                .hasToString("UNEXPLAINED (leaked): DRAM 0x1000 (4096) on device 3, generation 1");
    }

    @Test
    void aVerdictIsPrintedWithItsSum() {
        assertThat(LeakCheck.create().examine(historyOf("source binding")))
                .hasToString(
                        "LEAK_FREE: 0 allocated, 0 freed, 0 freed late, 0 leaked, 0 misreported, 0 expected, 0 undecided");
    }

    @Test
    void aMemoryIsPrintedWithItsDevice() {
        assertThat(new DeviceMemory(3, DRAM)).hasToString("DRAM of device 3");
    }

    @Test
    void theEventsThatAFactNamesProveIt() {
        assertThat(Evidence.formatted("freed %d times, at event #%d and by %s at event #%d", 2, 7L, "a call", 9L))
                .isEqualTo(Evidence.of("freed 2 times, at event #7 and by a call at event #9", 7, 9));
    }
}
