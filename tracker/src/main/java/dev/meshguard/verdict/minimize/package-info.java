/** The least of a history that still shows what was found in it. */
@NullMarked
package dev.meshguard.verdict.minimize;

import org.jspecify.annotations.NullMarked;
