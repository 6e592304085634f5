/** The files on the command line, recognized by their content. */
@NullMarked
package dev.meshguard.cli.input;

import org.jspecify.annotations.NullMarked;
