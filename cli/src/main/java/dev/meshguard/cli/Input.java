package dev.meshguard.cli;

import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import dev.meshguard.report.LogLines;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.verdict.LeakVerdict;
import java.util.Optional;

/** The content of a file on the command line. */
sealed interface Input {

    FileKind kind();

    /** Returns the name of the file in the output. */
    String name();

    /**
     * A file that is read as a history, or one rank of it.
     *
     * @param content the log, or the output of the runtime, or anything else with a history
     */
    record Recording(FileKind kind, String name, HistorySource content) implements Input {

        public AllocationHistory history() {
            return content.history();
        }

        /** Returns the report of a verdict on it; that of a log has its lines and notes. */
        public VerdictReport report(LeakVerdict verdict) {
            if (!(content instanceof ParsedLog log)) {
                return VerdictReport.of(verdict);
            }
            VerdictReport report = VerdictReport.ofLog(verdict, Optional.empty(), new LogLines(name, log::lineOf));
            for (String note : log.notes()) {
                report = report.noting(note);
            }
            return report;
        }
    }

    /** The memory of one moment. */
    record Moment(FileKind kind, String name, RuntimeEvidence memory) implements Input {}
}
