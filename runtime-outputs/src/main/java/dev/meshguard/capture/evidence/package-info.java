/** Outputs of the runtime with the memory of one moment: memory reports and shared memory. */
@NullMarked
package dev.meshguard.capture.evidence;

import org.jspecify.annotations.NullMarked;
