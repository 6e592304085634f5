package dev.meshguard.capture.internal;

import dev.meshguard.capture.evidence.RuntimeEvidence;
import java.util.OptionalLong;

/**
 * Evidence of the run that a recording is of.
 *
 * @param operation the operation after which it was written; empty for the end of the recording
 * @param file the evidence
 */
public record DatedEvidence(OptionalLong operation, RuntimeEvidence file) {}
