/** The memory of a test, class or run while it runs: its tracker and sources, and its attached history. */
@NullMarked
package dev.meshguard.junit.internal.session;

import org.jspecify.annotations.NullMarked;
