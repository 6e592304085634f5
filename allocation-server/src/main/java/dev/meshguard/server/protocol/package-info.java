/** The wire: what programs and the allocation server say to each other, byte for byte. */
@NullMarked
package dev.meshguard.server.protocol;

import org.jspecify.annotations.NullMarked;
