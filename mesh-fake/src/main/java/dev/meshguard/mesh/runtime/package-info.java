/** Configuration of the simulated runtime: chips, version, reports and defects. */
@NullMarked
package dev.meshguard.mesh.runtime;

import org.jspecify.annotations.NullMarked;
