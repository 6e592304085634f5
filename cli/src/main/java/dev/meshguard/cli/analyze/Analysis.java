package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/** The result of one file. */
sealed interface Analysis permits LogAnalysis, OutputAnalysis {

    /** Returns the report of its verdict. */
    VerdictReport report();

    /** Returns the growth over its rounds, if it has rounds. */
    Optional<Accumulation> accumulation();

    /** Returns the exit status for this file alone. */
    ExitStatus status();
}
