/** The command line: what it is called with, and how its answers read. */
@NullMarked
package dev.meshguard.cli;

import org.jspecify.annotations.NullMarked;
