/** Minimizes a history while its findings stay the same. */
@NullMarked
package dev.meshguard.reproduce.minimize;

import org.jspecify.annotations.NullMarked;
