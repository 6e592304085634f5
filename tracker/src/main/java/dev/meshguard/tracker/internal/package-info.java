/** The tracker's ledger and journal; not exported. */
@NullMarked
package dev.meshguard.tracker.internal;

import org.jspecify.annotations.NullMarked;
