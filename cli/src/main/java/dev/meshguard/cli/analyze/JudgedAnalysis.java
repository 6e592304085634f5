package dev.meshguard.cli.analyze;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/** The result of one file that is read as a history, and whose lines or operations can begin rounds. */
sealed interface JudgedAnalysis extends Analysis permits LogAnalysis, OutputAnalysis {

    /** Returns the report of its verdict. */
    VerdictReport report();

    /** Returns the growth over its rounds, if it has rounds. */
    Optional<Accumulation> accumulation();
}
