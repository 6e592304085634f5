/** Programs that a test observes. */
@NullMarked
package dev.meshguard.samples.processes;

import org.jspecify.annotations.NullMarked;
