/** The memory of a test, class or suite while it runs: its tracker, its sources and its phases. */
@NullMarked
package dev.meshguard.junit.internal.session;

import org.jspecify.annotations.NullMarked;
