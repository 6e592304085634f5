/** The numbers of a run, from the checks that make them to the text that says them. */
@NullMarked
package dev.meshguard.junit.internal.summary;

import org.jspecify.annotations.NullMarked;
