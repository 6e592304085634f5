package dev.meshguard.cli.analyze;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;

/**
 * The result of a file that the runtime wrote, for one rank.
 *
 * @param output the content of the file
 * @param report the report of its verdict
 * @param status the exit status for this output alone
 */
record OutputAnalysis(RuntimeOutput output, VerdictReport report, ExitStatus status) implements Analysis {}
