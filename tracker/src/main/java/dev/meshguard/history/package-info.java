/** Recorded events as values: generations of buffers, open periods, ledgers, and ways to add them up. */
@NullMarked
package dev.meshguard.history;

import org.jspecify.annotations.NullMarked;
