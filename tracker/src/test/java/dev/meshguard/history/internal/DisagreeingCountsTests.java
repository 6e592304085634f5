package dev.meshguard.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class DisagreeingCountsTests {

    @Test
    void makeTheVerdictInconclusive() {
        var recording = new DeviceRecorder.Recording(0, new Journal().view(), 5, new Totals());
        var history = AllocationHistory.recorded(List.of(), List.of(recording), true);

        LeakVerdict verdict = LeakCheck.create().examine(history);

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasonTexts())
                .containsExactly("The tracker's own counts disagree: 0 allocated, 0 freed, 0 live, 5 in the ledger.");
    }
}
