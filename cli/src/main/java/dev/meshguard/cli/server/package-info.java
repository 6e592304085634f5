/** Commands that run an allocation server or query one. */
@NullMarked
package dev.meshguard.cli.server;

import org.jspecify.annotations.NullMarked;
