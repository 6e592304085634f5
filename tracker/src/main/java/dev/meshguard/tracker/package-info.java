/** Records what happened to every buffer. */
@NullMarked
package dev.meshguard.tracker;

import org.jspecify.annotations.NullMarked;
