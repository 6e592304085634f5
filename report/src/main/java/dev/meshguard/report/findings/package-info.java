/** The findings of a run as lines of JSON, for queries over many machines. */
@NullMarked
package dev.meshguard.report.findings;

import org.jspecify.annotations.NullMarked;
