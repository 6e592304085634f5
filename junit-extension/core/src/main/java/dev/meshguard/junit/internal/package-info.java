/** The state of a whole run, as opposed to one test. */
@NullMarked
package dev.meshguard.junit.internal;

import org.jspecify.annotations.NullMarked;
