/** The frames of MeshGuard's clients: their decoder, and the names and call stacks that they define. */
@NullMarked
package dev.meshguard.server.frame.internal;

import org.jspecify.annotations.NullMarked;
