package dev.meshguard.cli.analyze;

import dev.meshguard.cli.answer.ExitStatus;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/**
 * What was found out about one log.
 *
 * @param log the log
 * @param report what its verdict says
 * @param accumulation what its rounds left behind, if it was cut into rounds
 * @param status what the program would answer for this log alone
 */
record Analysis(AllocationLog log, VerdictReport report, Optional<Accumulation> accumulation, ExitStatus status) {}
