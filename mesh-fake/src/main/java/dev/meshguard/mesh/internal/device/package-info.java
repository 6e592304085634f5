/** The devices of a system, and who has opened them. */
@NullMarked
package dev.meshguard.mesh.internal.device;

import org.jspecify.annotations.NullMarked;
