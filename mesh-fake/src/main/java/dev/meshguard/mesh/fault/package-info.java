/** Faults that a test injects into calls of the fake mesh, the same in every run. */
@NullMarked
package dev.meshguard.mesh.fault;

import org.jspecify.annotations.NullMarked;
