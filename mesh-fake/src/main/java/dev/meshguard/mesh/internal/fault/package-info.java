/** Carries out a FaultPlan: calls that fail, and devices that stop. */
@NullMarked
package dev.meshguard.mesh.internal.fault;

import org.jspecify.annotations.NullMarked;
