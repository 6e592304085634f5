/** The lines of JSON that MeshGuard's clients send. */
@NullMarked
package dev.meshguard.server.line.internal;

import org.jspecify.annotations.NullMarked;
