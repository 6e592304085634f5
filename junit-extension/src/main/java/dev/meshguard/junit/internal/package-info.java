/** What belongs to a whole run and not to one test. */
@NullMarked
package dev.meshguard.junit.internal;

import org.jspecify.annotations.NullMarked;
