/** The files that are attached to a failed test. */
@NullMarked
package dev.meshguard.junit.internal.attachment;

import org.jspecify.annotations.NullMarked;
