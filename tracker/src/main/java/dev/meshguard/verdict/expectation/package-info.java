/** Expected survivors, and why they are expected. */
@NullMarked
package dev.meshguard.verdict.expectation;

import org.jspecify.annotations.NullMarked;
