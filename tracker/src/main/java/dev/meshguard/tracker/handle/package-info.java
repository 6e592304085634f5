/** Who still holds what nobody freed. */
@NullMarked
package dev.meshguard.tracker.handle;

import org.jspecify.annotations.NullMarked;
