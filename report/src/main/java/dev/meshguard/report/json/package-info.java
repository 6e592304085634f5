/** Histories and verdicts as JSON, for storage and exchange. */
@NullMarked
package dev.meshguard.report.json;

import org.jspecify.annotations.NullMarked;
