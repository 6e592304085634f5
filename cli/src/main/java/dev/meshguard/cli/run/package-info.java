/** Commands about recorded runs: recording and comparing them, and their pages. */
@NullMarked
package dev.meshguard.cli.run;

import org.jspecify.annotations.NullMarked;
