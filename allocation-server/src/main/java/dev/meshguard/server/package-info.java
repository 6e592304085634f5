/** The allocation server, which receives reports of real processes. */
@NullMarked
package dev.meshguard.server;

import org.jspecify.annotations.NullMarked;
