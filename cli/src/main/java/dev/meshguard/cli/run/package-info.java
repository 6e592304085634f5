/** Commands about recorded runs: replaying, comparing and converting them. */
@NullMarked
package dev.meshguard.cli.run;

import org.jspecify.annotations.NullMarked;
