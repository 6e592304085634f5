/** AssertJ assertions over trackers, histories and verdicts. */
@NullMarked
package dev.meshguard.assertions;

import org.jspecify.annotations.NullMarked;
