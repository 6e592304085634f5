package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;

/** The result of one file. */
sealed interface Analysis permits JudgedAnalysis, HistoryAnalysis, EvidenceAnalysis {

    /** Returns the exit status for this file alone. */
    ExitStatus status();
}
