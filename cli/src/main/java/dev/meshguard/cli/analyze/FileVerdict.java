package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/**
 * The verdict on a file that is read as a history.
 *
 * @param report the report of its verdict
 * @param rounds the growth over its rounds, if rounds are marked
 * @param status the exit status of the verdict alone
 */
record FileVerdict(VerdictReport report, Optional<Accumulation> rounds, ExitStatus status) {}
