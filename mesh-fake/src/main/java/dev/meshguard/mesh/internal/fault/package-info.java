/** The faults of a plan while a runtime runs. */
@NullMarked
package dev.meshguard.mesh.internal.fault;

import org.jspecify.annotations.NullMarked;
