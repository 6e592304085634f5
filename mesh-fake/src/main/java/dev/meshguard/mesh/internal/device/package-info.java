/** The devices of a system, and the periods in which they are open. */
@NullMarked
package dev.meshguard.mesh.internal.device;

import org.jspecify.annotations.NullMarked;
