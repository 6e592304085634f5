/** The survivors of repeated rounds, and their trend. */
@NullMarked
package dev.meshguard.verdict.growth;

import org.jspecify.annotations.NullMarked;
