/** The files that are attached to a test that fails. */
@NullMarked
package dev.meshguard.junit.internal.attachment;

import org.jspecify.annotations.NullMarked;
