/** Tests that fail like a recorded run. */
@NullMarked
package dev.meshguard.reproduce;

import org.jspecify.annotations.NullMarked;
