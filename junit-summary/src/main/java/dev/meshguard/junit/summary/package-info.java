/** What a run says at its end. */
@NullMarked
package dev.meshguard.junit.summary;

import org.jspecify.annotations.NullMarked;
