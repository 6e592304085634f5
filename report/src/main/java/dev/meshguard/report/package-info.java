/** The report of a verdict, for people: headlines, findings and notes. */
@NullMarked
package dev.meshguard.report;

import org.jspecify.annotations.NullMarked;
