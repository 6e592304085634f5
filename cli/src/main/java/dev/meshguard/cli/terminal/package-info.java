/** The terminal of the program: its streams, tables and JSON documents, and what a command returns to it. */
@NullMarked
package dev.meshguard.cli.terminal;

import org.jspecify.annotations.NullMarked;
