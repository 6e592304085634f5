/** What two moments, runs or devices do differently. */
@NullMarked
package dev.meshguard.verdict.difference;

import org.jspecify.annotations.NullMarked;
