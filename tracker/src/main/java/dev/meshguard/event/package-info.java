/** The values that a source reports: buffers, devices, meshes, owners, phases, call stacks and what a witness saw. */
@NullMarked
package dev.meshguard.event;

import org.jspecify.annotations.NullMarked;
