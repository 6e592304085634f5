/** Common code of the commands: input, output, errors and exit status. */
@NullMarked
package dev.meshguard.cli.common;

import org.jspecify.annotations.NullMarked;
