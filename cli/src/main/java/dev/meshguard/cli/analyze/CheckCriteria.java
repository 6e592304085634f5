package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.LogLines;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import java.util.Optional;

/** The check and its known leaks; determines the exit status of a verdict. */
record CheckCriteria(LeakCheck check, Baseline known, boolean hasBaseline) {

    LeakVerdict examine(AllocationHistory history) {
        return check.examine(history);
    }

    VerdictReport report(LeakVerdict verdict) {
        return hasBaseline ? VerdictReport.of(verdict, known) : VerdictReport.of(verdict);
    }

    VerdictReport report(LeakVerdict verdict, LogLines log) {
        return VerdictReport.ofLog(verdict, hasBaseline ? Optional.of(known) : Optional.empty(), log);
    }

    ExitStatus status(LeakVerdict verdict) {
        boolean isKnown = hasBaseline && known.covers(verdict);
        return isKnown ? ExitStatus.CLEAN : ExitStatus.of(verdict.outcome());
    }
}
