/** Carries out a FaultPlan: failing calls, and lost, doubled or delayed reports. */
@NullMarked
package dev.meshguard.mesh.internal.fault;

import org.jspecify.annotations.NullMarked;
