/** Finds the objects that hold the handles of surviving buffers. */
@NullMarked
package dev.meshguard.tracker.handle;

import org.jspecify.annotations.NullMarked;
