package dev.meshguard.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.tracker.script.ExpectedText;
import java.util.List;
import java.util.stream.Stream;

/** The verdict of a check without expectations, for tests of causes. */
final class Judgement {

    private final AllocationHistory history;
    private final LeakVerdict verdict;

    private Judgement(AllocationHistory history, LeakVerdict verdict) {
        this.history = history;
        this.verdict = verdict;
    }

    static Judgement judged(AllocationHistory history) {
        return new Judgement(history, LeakCheck.create().examine(history));
    }

    LeakVerdict verdict() {
        return verdict;
    }

    /** Every survivor has this cause and status, and there is at least one. */
    Judgement hasOnly(Cause cause, SurvivorStatus standing) {
        assertThat(verdict.survivors()).isNotEmpty().allSatisfy(survivor -> {
            assertThat(survivor.cause()).describedAs(survivor.toString()).isEqualTo(cause);
            assertThat(survivor.status()).describedAs(survivor.toString()).isEqualTo(standing);
        });
        return this;
    }

    /** The causes of the survivors, oldest first. */
    Judgement hasCauses(Cause... causes) {
        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(causes);
        return this;
    }

    /** The statuses of the survivors, oldest first. */
    Judgement hasStandings(SurvivorStatus... standings) {
        assertThat(verdict.survivors()).extracting(Survivor::status).containsExactly(standings);
        return this;
    }

    /** The decisive fact of the only group begins like this; its place in the code follows. */
    Judgement becauseOf(String beginning) {
        assertThat(verdict.groups().get(0).evidence().get(0).text()).startsWith(expected(beginning) + ", at ");
        return this;
    }

    /** The whole evidence of the oldest survivor. */
    Judgement because(String... facts) {
        List<Evidence> evidence = verdict.survivors().get(0).diagnosis().evidence();
        assertThat(evidence).extracting(Evidence::text).containsExactly(expected(facts));
        return this;
    }

    /** The fix of the only group; empty if it has none. */
    void hasFix(String fix) {
        assertThat(verdict.groups())
                .singleElement()
                .satisfies(group -> assertThat(verdict.fixOf(group).orElse("")).isEqualTo(fix));
    }

    /** The kinds of the anomalies, in the order of their events. */
    Judgement hasAnomalies(Anomaly.Kind... kinds) {
        assertThat(verdict.anomalies()).extracting(Anomaly::kind).containsExactly(kinds);
        return this;
    }

    /** The devices or meshes of what the ledger holds, oldest first. */
    Judgement hasLive(String places, Integer... numbers) {
        assertThat(history.live())
                .extracting(buffer -> places.equals("devices")
                        ? buffer.device()
                        : buffer.mesh().orElseThrow())
                .containsExactly(numbers);
        return this;
    }

    Judgement hasOutcome(Outcome outcome) {
        assertThat(verdict.outcome()).describedAs(verdict.toString()).isEqualTo(outcome);
        return this;
    }

    /** All inconclusive reasons. */
    Judgement inconclusiveReasons(String... doubts) {
        assertThat(verdict.inconclusiveReasonTexts()).containsExactly(expected(doubts));
        return this;
    }

    private String[] expected(String... texts) {
        return Stream.of(texts).map(this::expected).toArray(String[]::new);
    }

    private String expected(String text) {
        return ExpectedText.expected(history, text);
    }
}
