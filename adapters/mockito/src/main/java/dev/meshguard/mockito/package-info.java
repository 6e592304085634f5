/** Reports of a user's mocked device interface to a tracker. */
@NullMarked
package dev.meshguard.mockito;

import org.jspecify.annotations.NullMarked;
