/**
 * The readers of the runtime's files: GraphParser and CaptureRecorder for captures, DatabaseReader and SnapshotRecorder for
 * databases.
 */
@NullMarked
package dev.meshguard.capture.internal;

import org.jspecify.annotations.NullMarked;
