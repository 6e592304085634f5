package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.report.VerdictReport;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The answer about one file.
 *
 * @param kind what the file is
 * @param name the name of the file
 * @param status the exit status for this file alone
 * @param report the report of its verdict, if it has one
 * @param text makes the terminal output
 * @param fields writes the fields that follow name and status in the JSON output, without the verdict
 */
record FileAnswer(
        Kind kind,
        String name,
        ExitStatus status,
        Optional<VerdictReport> report,
        Supplier<List<String>> text,
        JsonDocument.Fields<JsonDocument> fields) {

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
}
