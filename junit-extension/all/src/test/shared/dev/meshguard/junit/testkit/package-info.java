/** Runs test classes inside a test, with concise assertions about the results. */
@NullMarked
package dev.meshguard.junit.testkit;

import org.jspecify.annotations.NullMarked;
