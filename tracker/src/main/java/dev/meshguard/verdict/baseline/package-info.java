/** Which leaks are known already, and which are new. */
@NullMarked
package dev.meshguard.verdict.baseline;

import org.jspecify.annotations.NullMarked;
