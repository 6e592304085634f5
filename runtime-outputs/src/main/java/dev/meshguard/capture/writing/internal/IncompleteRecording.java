package dev.meshguard.capture.writing.internal;

/** Marks a database that lacks something of its history, so that its reader learns of it. */
public final class IncompleteRecording {

    /** The key in the table {@code report_metadata}, which has any keys; the value is the reason. */
    public static final String KEY = "meshguard_incomplete";

    static final String REASON =
            "the history from which it was written lost reports, or has buffers that a database cannot hold";

    private IncompleteRecording() {}
}
