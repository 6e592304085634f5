/** Configuration of the simulated runtime: chips, version, reports, and the known defects of its real model. */
@NullMarked
package dev.meshguard.mesh.runtime;

import org.jspecify.annotations.NullMarked;
