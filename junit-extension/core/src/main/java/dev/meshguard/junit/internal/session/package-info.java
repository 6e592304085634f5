/** The memory of a test, class or suite while it runs: its tracker, its source and its phases. */
@NullMarked
package dev.meshguard.junit.internal.session;

import org.jspecify.annotations.NullMarked;
