/** Finds the objects that hold the handles of surviving buffers. */
@NullMarked
package dev.meshguard.handle;

import org.jspecify.annotations.NullMarked;
