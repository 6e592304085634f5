/** Commands about recorded runs: comparing and converting them. */
@NullMarked
package dev.meshguard.cli.run;

import org.jspecify.annotations.NullMarked;
