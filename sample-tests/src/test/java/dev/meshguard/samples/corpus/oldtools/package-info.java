/** The field's older tools, as readings of what a server logged. */
@NullMarked
package dev.meshguard.samples.corpus.oldtools;

import org.jspecify.annotations.NullMarked;
