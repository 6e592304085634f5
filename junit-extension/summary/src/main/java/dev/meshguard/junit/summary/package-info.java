/** The summary at the end of a run. */
@NullMarked
package dev.meshguard.junit.summary;

import org.jspecify.annotations.NullMarked;
