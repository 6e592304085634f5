/** The command line: its arguments and its output. */
@NullMarked
package dev.meshguard.cli;

import org.jspecify.annotations.NullMarked;
