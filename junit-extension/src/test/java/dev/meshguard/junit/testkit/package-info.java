/** Runs test classes inside a test, and says in a few words what became of them. */
@NullMarked
package dev.meshguard.junit.testkit;

import org.jspecify.annotations.NullMarked;
