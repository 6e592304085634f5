package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.report.VerdictReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The answer about one file. */
interface Answer {

    /** The lists of the JSON document, in their order, with the field that names a file. */
    enum Kind {
        LOG("logs", "log"),
        HISTORY("histories", "history"),
        CAPTURE("captures", "capture"),
        DATABASE("databases", "database"),
        MEMORY_REPORT("memoryReports", "memoryReport"),
        SHARED_MEMORY("sharedMemory", "sharedMemory");

        private final String list;
        private final String field;

        Kind(String list, String field) {
            this.list = list;
            this.field = field;
        }

        String list() {
            return list;
        }

        String field() {
            return field;
        }
    }

    Kind kind();

    /** Returns the name of the file in the output. */
    String name();

    /** Returns the exit status for this file alone. */
    ExitStatus status();

    /** Returns the terminal output. */
    List<String> lines();

    /** Writes the fields that follow name and status in the JSON output, without the verdict. */
    void write(JsonDocument json) throws IOException;

    /** Returns the report of its verdict, if it has one. */
    default Optional<VerdictReport> report() {
        return Optional.empty();
    }
}
