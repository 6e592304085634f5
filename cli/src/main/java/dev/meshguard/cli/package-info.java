/** The program meshguard and its commands. */
@NullMarked
package dev.meshguard.cli;

import org.jspecify.annotations.NullMarked;
