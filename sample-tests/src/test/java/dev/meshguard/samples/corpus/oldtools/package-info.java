/** tt-metal's older tools, applied to server logs. */
@NullMarked
package dev.meshguard.samples.corpus.oldtools;

import org.jspecify.annotations.NullMarked;
