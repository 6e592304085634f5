/** The wire format between programs and the allocation server, byte for byte. */
@NullMarked
package dev.meshguard.server.protocol;

import org.jspecify.annotations.NullMarked;
