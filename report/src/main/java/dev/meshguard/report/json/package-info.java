/** Histories and verdicts as JSON documents, with published schemas. */
@NullMarked
package dev.meshguard.report.json;

import org.jspecify.annotations.NullMarked;
