/** The values that a source reports: buffers, devices, meshes, owners, phases, call stacks and witness snapshots. */
@NullMarked
package dev.meshguard.event;

import org.jspecify.annotations.NullMarked;
