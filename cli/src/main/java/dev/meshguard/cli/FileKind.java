package dev.meshguard.cli;

/**
 * The kind of a file on the command line, with the names of {@link dev.meshguard.capture.OutputFormat}. The JSON output of
 * {@code analyze} has a list for each kind, in this order.
 */
enum FileKind {
    LOG("a log", "logs", "log"),
    HISTORY("a history", "histories", "history"),
    GRAPH_CAPTURE("a graph capture", "captures", "capture"),
    REPORT_DATABASE("a report database", "databases", "database"),
    MEMORY_REPORT("a memory report", "memoryReports", "memoryReport"),
    SHARED_MEMORY("shared memory", "sharedMemory", "sharedMemory");

    private final String text;
    private final String list;
    private final String field;

    FileKind(String text, String list, String field) {
        this.text = text;
        this.list = list;
        this.field = field;
    }

    /** Returns what the file is, with an article. */
    String text() {
        return text;
    }

    /** Returns the JSON field with the answers about all files of this kind. */
    String list() {
        return list;
    }

    /** Returns the JSON field with the name of a file. */
    String field() {
        return field;
    }
}
