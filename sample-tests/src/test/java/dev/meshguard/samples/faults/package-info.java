/** What a verdict makes of a run in which something goes wrong. */
@NullMarked
package dev.meshguard.samples.faults;

import org.jspecify.annotations.NullMarked;
