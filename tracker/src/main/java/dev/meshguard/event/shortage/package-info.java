/** Free space of a memory, and rejected requests: what was needed, what was free, and who held the rest. */
@NullMarked
package dev.meshguard.event.shortage;

import org.jspecify.annotations.NullMarked;
