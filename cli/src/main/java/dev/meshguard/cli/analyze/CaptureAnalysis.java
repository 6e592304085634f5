package dev.meshguard.cli.analyze;

import dev.meshguard.capture.GraphCapture;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.report.VerdictReport;

/**
 * The result of one graph capture.
 *
 * @param capture the capture
 * @param report the report of its verdict
 * @param status the exit status for this capture alone
 */
record CaptureAnalysis(GraphCapture capture, VerdictReport report, ExitStatus status) implements Analysis {}
