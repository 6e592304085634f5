package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one history in JSON Lines.
 *
 * @param name the name of the file in the output
 * @param events the number of its events
 * @param report the report of its verdict
 * @param status the exit status for this history alone
 */
record HistoryAnalysis(String name, int events, VerdictReport report, ExitStatus status) implements Analysis {

    /** Returns the terminal output. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(name + ": " + Quantities.count(events, "event") + " (history)");
        lines.add("");
        report.text().lines().forEach(lines::add);
        return lines;
    }
}
