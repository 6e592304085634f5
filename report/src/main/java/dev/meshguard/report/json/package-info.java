/** Histories and verdicts as JSON, to be kept, sent and read again. */
@NullMarked
package dev.meshguard.report.json;

import org.jspecify.annotations.NullMarked;
