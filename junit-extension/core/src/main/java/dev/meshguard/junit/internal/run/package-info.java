/** The state and the result of a whole run: its findings, entries, histories and pages. */
@NullMarked
package dev.meshguard.junit.internal.run;

import org.jspecify.annotations.NullMarked;
