package dev.meshguard.capture.internal;

/**
 * The facts of a capture that join it with a database of the same run.
 *
 * @param snapshots compares snapshots with its nodes
 * @param numbers the numbers of its operations
 * @param hasCalls whether calls of Python name the lines already
 */
record CaptureEvidence(SnapshotComparison snapshots, OperationNumbers numbers, boolean hasCalls) {}
