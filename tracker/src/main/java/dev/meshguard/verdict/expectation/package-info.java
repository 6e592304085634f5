/** What may stay, and why. */
@NullMarked
package dev.meshguard.verdict.expectation;

import org.jspecify.annotations.NullMarked;
