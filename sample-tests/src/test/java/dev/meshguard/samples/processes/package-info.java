/** Programs that are watched from a test. */
@NullMarked
package dev.meshguard.samples.processes;

import org.jspecify.annotations.NullMarked;
