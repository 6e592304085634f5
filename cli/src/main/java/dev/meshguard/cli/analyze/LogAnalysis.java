package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/**
 * The result of one log.
 *
 * @param log the log
 * @param report the report of its verdict
 * @param accumulation the growth over its rounds, if it has round marks
 * @param status the exit status for this log alone
 */
record LogAnalysis(AllocationLog log, VerdictReport report, Optional<Accumulation> accumulation, ExitStatus status)
        implements JudgedAnalysis {}
