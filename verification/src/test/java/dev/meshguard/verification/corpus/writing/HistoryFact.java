package dev.meshguard.verification.corpus.writing;

/** The facts of a history that files of the runtime cannot hold, in the order in which they are listed. */
enum HistoryFact {
    BUFFER_WITHOUT_ADDRESS("buffer without a valid address"),
    SHARED_ADDRESS("buffer at an address in use"),
    CIRCULAR_BUFFER("circular buffer"),
    VIEW("view"),
    REPEATED_REPORT("repeated report of a buffer"),
    UNKNOWN_FREE("free of an unknown address"),
    REPORT_AFTER_CHECK("report after the check"),
    IGNORED_FREE("ignored free"),
    GAP("gap in the reports"),
    WITNESS_SNAPSHOT("witness snapshot"),
    NOTE("note of the source"),
    PROCESS("process"),
    PROCESS_DEATH("death of a process"),
    DEVICE_OPENING("opening or closing of a device"),
    LIFETIME("lifetime of a buffer of the runtime"),
    OWNER_EVENT("caching or end of an owner"),
    TRACE_EVENT("event of a trace"),
    HANDLE_SEARCH("search for a handle"),
    LABEL("label"),
    CALL_SITE("call site"),
    ROUND("round"),
    PHASE("phase");

    private final String text;

    HistoryFact(String text) {
        this.text = text;
    }

    /** Returns the noun for one such fact. */
    String text() {
        return text;
    }
}
