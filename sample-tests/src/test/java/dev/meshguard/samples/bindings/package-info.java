/** Device bindings and mocks of the user's own that report to a tracker. */
@NullMarked
package dev.meshguard.samples.bindings;

import org.jspecify.annotations.NullMarked;
