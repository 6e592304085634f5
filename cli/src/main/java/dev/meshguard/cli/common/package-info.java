/** Common code of the commands: output, errors, exit status and the options of the check. */
@NullMarked
package dev.meshguard.cli.common;

import org.jspecify.annotations.NullMarked;
