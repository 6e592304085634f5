/** Mocks of a device interface of the user's own report to a tracker. */
@NullMarked
package dev.meshguard.mockito;

import org.jspecify.annotations.NullMarked;
