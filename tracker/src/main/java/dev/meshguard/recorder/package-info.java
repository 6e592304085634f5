/** The ledger and the journal in which reports are recorded; not exported. */
@NullMarked
package dev.meshguard.recorder;

import org.jspecify.annotations.NullMarked;
