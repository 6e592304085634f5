/** The report of a verdict, for people: headlines, findings, notes and remedies. */
@NullMarked
package dev.meshguard.report;

import org.jspecify.annotations.NullMarked;
