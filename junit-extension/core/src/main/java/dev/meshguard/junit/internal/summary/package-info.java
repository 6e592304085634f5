/** The summary of a run, from its checks to the printed text. */
@NullMarked
package dev.meshguard.junit.internal.summary;

import org.jspecify.annotations.NullMarked;
