/** Outputs of the runtime about memory besides recordings: memory reports, statistics, and texts in logs. */
@NullMarked
package dev.meshguard.capture.evidence;

import org.jspecify.annotations.NullMarked;
