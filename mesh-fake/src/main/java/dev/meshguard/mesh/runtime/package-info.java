/** Which runtime a mesh stands for: chips, version, what it reports, and what goes wrong. */
@NullMarked
package dev.meshguard.mesh.runtime;

import org.jspecify.annotations.NullMarked;
