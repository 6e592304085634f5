/** Parsers of memory reports, shared memory and texts in logs, and notes about them. */
@NullMarked
package dev.meshguard.capture.evidence.internal;

import org.jspecify.annotations.NullMarked;
