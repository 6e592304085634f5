/** Commands about recorded runs: replaying, comparing, minimizing and converting them. */
@NullMarked
package dev.meshguard.cli.run;

import org.jspecify.annotations.NullMarked;
