package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllocationSiteTests {

    @Test
    void isTheSameForBuffersOfTwoLinesOfOneMethod() {
        List<BufferGeneration> buffers = historyOf("""
                allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 5, size 128
                """).generations();

        assertThat(AllocationSite.of(buffers.get(0))).isEqualTo(AllocationSite.of(buffers.get(1)));
        assertThat(AllocationSite.of(buffers.get(0))).hasToString("DRAM from HistoryTests.story");
    }

    @Test
    void isAnotherWithALabel() {
        List<BufferGeneration> buffers = historyOf("""
                allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0, label weights
                """).generations();

        assertThat(AllocationSite.of(buffers.get(0))).isNotEqualTo(AllocationSite.of(buffers.get(1)));
        assertThat(AllocationSite.of(buffers.get(1))).hasToString("DRAM \"weights\" from HistoryTests.story");
    }

    @Test
    void isDistinguishedBySizeWhereNoOriginIsKnown() {
        List<BufferGeneration> buffers = historyOf("""
                without origins; allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0, size 4096
                """).generations();

        assertThat(AllocationSite.of(buffers.get(0))).isNotEqualTo(AllocationSite.of(buffers.get(1)));
        assertThat(AllocationSite.of(buffers.get(1))).hasToString("DRAM buffers of 4 KiB (4096 B)");
    }

    @Test
    void forgetsTheNumbersOfLambdasAndHiddenClassesAndWhatIsFarBelow() {
        Origin origin = new Origin(List.of(
                frame("dev.example.Cache", "lambda$grow$17"),
                frame("dev.example.Cache$$Lambda$31/0x0000700001a2b3c8", "run"),
                frame("dev.example.Cache$$Lambda/0x0000700001a2b3c8", "run"),
                frame("dev.example.Main", "main")));

        assertThat(AllocationSite.callSiteOf(origin))
                .hasValue("dev.example.Cache.lambda in grow < dev.example.Cache.run < dev.example.Cache.run");
        assertThat(AllocationSite.callSiteOf(new Origin(List.of()))).isEmpty();
    }

    private static StackTraceElement frame(String type, String method) {
        return new StackTraceElement(type, method, "Cache.java", 3);
    }
}
