/** Faults to inject at run time, chosen by a test and the same in every run. */
@NullMarked
package dev.meshguard.mesh.fault;

import org.jspecify.annotations.NullMarked;
