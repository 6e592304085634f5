/** Records the reports about every buffer and provides an immutable history. */
@NullMarked
package dev.meshguard.tracker;

import org.jspecify.annotations.NullMarked;
