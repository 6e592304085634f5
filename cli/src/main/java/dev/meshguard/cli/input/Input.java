package dev.meshguard.cli.input;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.LogLines;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import java.util.Optional;

/** The content of a file on the command line. */
public sealed interface Input {

    /** Returns the name of the file in the output. */
    String name();

    /** Returns what the file is, with an article. */
    String kind();

    /** A file that is read as a history. */
    sealed interface Recording extends Input {

        AllocationHistory history();

        /** Returns the report of a verdict on it. */
        default VerdictReport report(LeakVerdict verdict, Optional<Baseline> known) {
            return VerdictReport.of(verdict, known, Optional.empty());
        }
    }

    /** A log of the allocation server. */
    record Log(AllocationLog log) implements Recording {

        @Override
        public String name() {
            return log.name();
        }

        @Override
        public String kind() {
            return "a log";
        }

        @Override
        public AllocationHistory history() {
            return log.history();
        }

        /** Returns the report, with the lines of the log and its notes. */
        @Override
        public VerdictReport report(LeakVerdict verdict, Optional<Baseline> known) {
            VerdictReport report = VerdictReport.ofLog(verdict, known, new LogLines(name(), log::lineOf));
            for (String note : log.notes()) {
                report = report.noting(note);
            }
            return report;
        }
    }

    /** A history in JSON Lines. */
    record History(String name, AllocationHistory history) implements Recording {

        @Override
        public String kind() {
            return "a history";
        }
    }

    /** A file that the runtime wrote, or one rank of it. */
    record Output(RuntimeOutput output) implements Recording {

        @Override
        public String name() {
            return output.name();
        }

        @Override
        public String kind() {
            return "a " + output.format().text();
        }

        @Override
        public AllocationHistory history() {
            return output.history();
        }
    }

    /** The memory of one moment. */
    record Moment(RuntimeEvidence memory) implements Input {

        @Override
        public String name() {
            return memory.name();
        }

        @Override
        public String kind() {
            return memory instanceof MemoryReport ? "a memory report" : "shared memory";
        }
    }
}
