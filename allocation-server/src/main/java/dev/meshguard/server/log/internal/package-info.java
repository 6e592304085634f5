/** The log parser: lines, their meaning, and the ledger that they must match. */
@NullMarked
package dev.meshguard.server.log.internal;

import org.jspecify.annotations.NullMarked;
