/** Minimizes a history while its findings stay the same. */
@NullMarked
package dev.meshguard.verdict.minimize;

import org.jspecify.annotations.NullMarked;
