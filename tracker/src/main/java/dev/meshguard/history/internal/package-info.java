/** The journal, which stores reports in order, and the ledger, which sums up live memory. */
@NullMarked
package dev.meshguard.history.internal;

import org.jspecify.annotations.NullMarked;
