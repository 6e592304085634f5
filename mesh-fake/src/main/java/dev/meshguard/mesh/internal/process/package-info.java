/** The state of one simulated process: settings, counters and devices. */
@NullMarked
package dev.meshguard.mesh.internal.process;

import org.jspecify.annotations.NullMarked;
