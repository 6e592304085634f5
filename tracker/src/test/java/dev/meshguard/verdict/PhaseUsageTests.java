package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhaseUsageTests {

    /** A history, and of each phase the bytes that are live at its end, and its peak. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            phase SETUP; allocate DRAM 0x1000 on 0, size 100; allocate DRAM 0x2000 on 0, size 10; phase TEST; \
                free DRAM 0x1000 on 0; allocate DRAM 0x3000 on 0, size 1 | SETUP 110 of 110, TEST 11 of 110
            phase SETUP; allocate DRAM 0x1000 on 0, size 100; allocate L1 0x1000 on 1, size 50; free L1 0x1000 on 1; \
                phase TEST; free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size 20 | SETUP 100 of 150, TEST 20 of 100
            allocate DRAM 0x1000 on 0; phase TEST | START 64 of 64, TEST 64 of 64
            phase TEST | TEST 0 of 0
            '' | ''
            phase TEST; allocate DRAM 0x1000 on 0, size 1; phase SETUP; phase TEST; allocate DRAM 0x2000 on 0, size 2 \
                | TEST 1 of 1, SETUP 1 of 1, TEST 3 of 3
            """)
    void hasTheLiveBytesAndThePeakOfEachPhase(String history, String usages) {
        LeakVerdict verdict = LeakCheck.create().examine(historyOf(history));

        assertThat(verdict.phaseUsages().stream()
                        .map(usage -> usage.phase().name() + " " + usage.liveBytes() + " of " + usage.peakBytes())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(usages);
    }
}
