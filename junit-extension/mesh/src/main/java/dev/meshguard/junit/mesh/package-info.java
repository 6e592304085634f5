/** The fake mesh as a source of the extension, and tests that run with its faults. */
@NullMarked
package dev.meshguard.junit.mesh;

import org.jspecify.annotations.NullMarked;
