package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;

/** The result of one file. */
sealed interface Analysis permits LogAnalysis, OutputAnalysis {

    /** Returns the report of its verdict. */
    VerdictReport report();

    /** Returns the exit status for this file alone. */
    ExitStatus status();
}
