/** The ledger of an allocation server, and its log lines. */
@NullMarked
package dev.meshguard.server.ledger.internal;

import org.jspecify.annotations.NullMarked;
