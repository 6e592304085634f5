/** Running an allocation server, and asking one. */
@NullMarked
package dev.meshguard.cli.server;

import org.jspecify.annotations.NullMarked;
