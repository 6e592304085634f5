/** Commands that run an allocation server, ask one for a dump, or print a client of it. */
@NullMarked
package dev.meshguard.cli.server;

import org.jspecify.annotations.NullMarked;
