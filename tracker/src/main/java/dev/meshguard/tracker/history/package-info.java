/** What was recorded, as values: events, the lives of buffers, and the ways to add them up. */
@NullMarked
package dev.meshguard.tracker.history;

import org.jspecify.annotations.NullMarked;
