package dev.meshguard.verdict.internal;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakCheck;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory is held until it is freed, whatever the ledger holds. */
class HoldIntervalsTests {

    private static HoldIntervals held(AllocationHistory history) {
        return new HoldIntervals(LeakCheck.create().examine(history));
    }

    static Stream<Arguments> lastMoments() {
        String buffer = "mesh 0 over 0; allocate DRAM 0x1000 on 0";
        return Stream.of(
                arguments("the end where it was not freed", buffer + "; close", HoldIntervals.TO_THE_END),
                arguments("its free", buffer + "; free DRAM 0x1000 on 0; close", 4),
                arguments("the last free of what is misreported", buffer + """
                        , owning, again NON_OWNING, again NON_OWNING; free DRAM 0x1000 on 0, owning;
                        free DRAM 0x1000 on 0, view; witness CLOSE_BEGUN DRAM on 0; close
                        """, 7),
                arguments("the end of its owner where nothing misreported was freed", """
                        mesh 0 over 0; allocate L1 101152 on 0, circular buffer of program 7; end program 7; close
                        """, 4));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lastMoments")
    void isHeldTo(String moment, String history, long until) {
        HoldIntervals memory = held(historyOf(history));

        assertThat(memory.holdIntervals())
                .extracting(BufferGeneration.HoldInterval::until)
                .containsExactly(until);
        assertThat(memory.holdIntervals()).as("made once").isSameAs(memory.holdIntervals());
        assertThat(memory.excludedBuffers()).isZero();
        assertThat(memory.timeline().curve(any -> true).liveBytes())
                .isEqualTo(until == HoldIntervals.TO_THE_END ? 64 : 0);
    }

    @Test
    void isLeftOutWhereNothingSaysUntilWhenWhatIsMisreportedWasHeld() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close
                """);

        HoldIntervals memory = held(history);

        assertThat(memory.holdIntervals()).isEmpty();
        assertThat(memory.excludedBuffers()).isEqualTo(1);
        assertThat(memory.timeline().curve(any -> true).peakBytes()).isZero();
    }
}
