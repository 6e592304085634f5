/** The numbers of a run, and how they read at its end. */
@NullMarked
package dev.meshguard.report.summary;

import org.jspecify.annotations.NullMarked;
