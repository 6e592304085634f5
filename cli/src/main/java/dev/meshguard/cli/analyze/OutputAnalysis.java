package dev.meshguard.cli.analyze;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/**
 * The result of a file that the runtime wrote, for one rank.
 *
 * @param output the content of the file
 * @param report the report of its verdict
 * @param accumulation the growth over its rounds, if it has rounds
 * @param status the exit status for this output alone
 */
record OutputAnalysis(
        RuntimeOutput output, VerdictReport report, Optional<Accumulation> accumulation, ExitStatus status)
        implements JudgedAnalysis {}
