package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.HistoryEvent.NO_DEVICE;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.Outcome.LEAKED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomeTests {

    @Stories("""
            is leak free when nothing was allocated
                source binding
                = LEAK_FREE, leak free, balanced
            is misreported for a free of [an unknown address | what was freed before] alone
                [ | allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0;] free DRAM 0x1000 on 0
                = MISREPORTED, leak free, not balanced, anomalies [UNKNOWN_FREE | DOUBLE_FREE]
            a leak that was freed while it was shared says so
                without origins; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, STILL_SHARED
                = UNEXPLAINED LEAKED
                because no free was reported
                because a free of it was ignored ({free ignored}), because another handle shares it, at an unknown place
                    (no origin was captured)
            a free of an earlier buffer at the address explains nothing
                allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, STILL_SHARED; free DRAM 0x1000 on 0;
                allocate DRAM 0x1000 on 0
                because no free was reported
            is [expected only for memory that may outlive the close | misreported where expected and misreported meet]
                mesh 0 over 0..3; allocate L1 0x1000 on 0, lifetime PERSISTENT;
                [ | allocate L1 101152 on 1, size 4096, circular buffer of program 7; end program 7;] close
                = [EXPECTED_ONLY | MISREPORTED, statuses EXPECTED MISREPORTED]
            is inconclusive where reports are both lost and wrong
                allocate L1 101152 on 1, size 4096, circular buffer of program 7; end program 7;
                lost 1 the line was cut; close
                = INCONCLUSIVE
            is leak free when everything was freed
                mesh 0 over 0..7; allocate DRAM 0x1000 on 0..7; free DRAM 0x1000 on 0..7;
                witness CLOSE_BEGUN DRAM on 0..7; close
                = LEAK_FREE
                sum 8 allocated, 8 freed
            is leak free with a free that the runtime ignored
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, ALREADY_FREED
                = LEAK_FREE, balanced, anomalies IGNORED_DOUBLE_FREE
            is leaked for memory that is left
                allocate DRAM 0x1000 on 0
                = LEAKED, not leak free, balanced
            is leaked where everything meets
                mesh 0 over 0..3; allocate L1 0x1000 on 0, lifetime PERSISTENT;
                allocate L1 101152 on 1, size 4096, circular buffer of program 7; end program 7;
                allocate DRAM 0x9000 on 3; lost 1 the line was cut; witness CLOSE_BEGUN DRAM on 3: 0x9000; close
                = LEAKED, reasons REPORTS_LOST
                sum 3 allocated, 1 leaked, 1 misreported, 1 expected
            groups by the request where no origin is known
                without origins; allocate DRAM 0x1000 on 0..2, mesh 0; allocate DRAM 0x2000 on 1..3, mesh 0
                leak UNEXPLAINED (leaked): DRAM 64 B x 3 on devices [0, 1, 2]
                leak UNEXPLAINED (leaked): DRAM 64 B x 3 on devices [1, 2, 3]
            groups what is one thing to the reader
                allocate DRAM 0x1000 on 0..1, label weights; allocate DRAM 0x2000 on 5
                leak UNEXPLAINED (leaked): DRAM 64 B x 2 on devices [0, 1]
                leak UNEXPLAINED (leaked): DRAM 64 B x 1 on devices [5]
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    private static String tenThousandBuffers() {
        return IntStream.range(0, 10_000)
                .mapToObj(number ->
                        "allocate DRAM " + 64 * number + " on " + number % 8 + (number == 0 ? "" : ", same line"))
                .collect(Collectors.joining("; "));
    }

    @Test
    void comesOutForTenThousandSurvivorsOfOneLine() {
        LeakVerdict verdict =
                judged(historyOf(tenThousandBuffers())).hasOutcome(LEAKED).verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(10_000, 0, 0, 10_000, 0, 0, 0));
        assertThat(verdict.groups()).hasSize(1);
        assertThat(verdict.groups().get(0))
                .hasToString("UNEXPLAINED (leaked): DRAM 64 B x 10000 on devices [0, 1, 2, 3, 4, 5, 6, 7]");
        assertThat(verdict.groups().get(0).bytes()).isEqualTo(640_000);
    }

    @Test
    void comesOutForTenThousandSurvivorsWithoutOrigins() {
        judged(historyOf("without origins; " + tenThousandBuffers()))
                .hasOutcome(LEAKED)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void countsTheLivesOfAReopenedDeviceInSumAndTotalsAlike() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; allocate DRAM 0x1000 on 0; close
                """);

        LeakVerdict verdict = judged(history).hasOutcome(LEAKED).verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(2, 0, 0, 2, 0, 0, 0));
        assertThat(verdict.totals())
                .isEqualTo(Map.of(
                        new MemoryKey(NO_DEVICE, DRAM, BufferLifetime.USER),
                        new Timeline.Section(128, 2, 128, 2, 128)));
    }

    @Test
    void neverAddsUpTheUsersMemoryAndTheRuntimes() {
        var history = historyOf("""
                allocate L1 0x1000 on 0; allocate L1 0x2000 on 0, size 32, lifetime SYSTEM; free L1 0x1000 on 0
                """);

        assertThat(judged(history).verdict().totals())
                .isEqualTo(Map.of(
                        new MemoryKey(NO_DEVICE, L1, BufferLifetime.USER), new Timeline.Section(64, 1, 0, 0, 64),
                        new MemoryKey(NO_DEVICE, L1, BufferLifetime.SYSTEM), new Timeline.Section(32, 1, 32, 1, 32)));
    }

    @Test
    void rejectsACauseWithoutEvidence() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Diagnosis(Cause.CACHED, SurvivorStatus.LEAKED, List.of(), Optional.empty()))
                .withMessage("A cause is never named without evidence: none was given for CACHED");
    }

    @Test
    void knowsTheGroupsOfAStatus() {
        LeakVerdict verdict =
                judged(historyOf("allocate DRAM 0x1000 on 0, label weights")).verdict();

        assertThat(verdict.groups(SurvivorStatus.LEAKED))
                .singleElement()
                .satisfies(group -> assertThat(group.label()).contains("weights"));
        assertThat(verdict.groups(SurvivorStatus.EXPECTED)).isEmpty();
    }
}
