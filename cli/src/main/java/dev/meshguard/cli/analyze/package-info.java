/** The {@code analyze} command. */
@NullMarked
package dev.meshguard.cli.analyze;

import org.jspecify.annotations.NullMarked;
