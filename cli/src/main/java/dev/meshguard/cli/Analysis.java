package dev.meshguard.cli;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLog;

/**
 * One log and what it means.
 *
 * @param log the log
 * @param report the verdict on it, ready to be read
 * @param status what the verdict means for the exit status
 */
record Analysis(AllocationLog log, VerdictReport report, ExitStatus status) {}
