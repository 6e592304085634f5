/** The ledger and the journal in which reports are recorded. */
@NullMarked
package dev.meshguard.history.internal;

import org.jspecify.annotations.NullMarked;
