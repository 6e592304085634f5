/** Commands that run an allocation server, query one, or print a client of it. */
@NullMarked
package dev.meshguard.cli.server;

import org.jspecify.annotations.NullMarked;
