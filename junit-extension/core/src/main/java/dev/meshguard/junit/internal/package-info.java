/** The settings, the shared state and the result of a whole run, and its pages. */
@NullMarked
package dev.meshguard.junit.internal;

import org.jspecify.annotations.NullMarked;
