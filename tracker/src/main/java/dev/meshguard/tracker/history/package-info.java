/** The recorded data as values: events, generations of buffers, and ways to add them up. */
@NullMarked
package dev.meshguard.tracker.history;

import org.jspecify.annotations.NullMarked;
