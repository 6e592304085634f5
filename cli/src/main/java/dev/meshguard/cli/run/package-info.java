/** Commands about recorded runs: replaying, comparing, shrinking and rewriting them. */
@NullMarked
package dev.meshguard.cli.run;

import org.jspecify.annotations.NullMarked;
