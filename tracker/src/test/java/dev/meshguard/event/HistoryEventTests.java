package dev.meshguard.event;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Events as readable lines. */
class HistoryEventTests {

    @Test
    void describesABuffersGenerationInLines() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 3, size 2048; ignore DRAM 0x1000 on 3, STILL_SHARED; free DRAM 0x1000 on 3
                """);

        assertThat(history.events())
                .extracting(HistoryEvent::toString)
                .containsExactly(
                        "#1 allocated DRAM 0x1000 (4096) on device 3, 2 KiB (2048 B)",
                        "#2 free of DRAM 0x1000 (4096) on device 3 ignored, because another handle shares it",
                        "#3 freed DRAM 0x1000 (4096) on device 3");
    }

    @Test
    void saysWhetherAHandleWasCollected() {
        var history = historyOf("allocate DRAM 0x1000 on 3, size 2048; free DRAM 0x1000 on 3, collected");

        var freed = (HistoryEvent.Freed) history.events().get(1);

        assertThat(freed.details().handleCollected()).isTrue();
        assertThat(freed).hasToString("#2 freed DRAM 0x1000 (4096) on device 3, when its handle was collected");
    }
}
