/** The numbers of a run, and their text at its end. */
@NullMarked
package dev.meshguard.report.summary;

import org.jspecify.annotations.NullMarked;
