/** A user's device bindings and mocks that report to a tracker. */
@NullMarked
package dev.meshguard.samples.bindings;

import org.jspecify.annotations.NullMarked;
