package dev.meshguard.verification.corpus.faults;

/**
 * The kind of reports to which a fault applies.
 *
 * <p>One report is about one buffer on one device, so a mesh buffer over eight devices makes eight.
 */
public enum ReportKind {
    /** That a buffer or a circular buffer was allocated. */
    ALLOCATION,
    /** That a buffer or a circular buffer was freed. */
    FREE
}
