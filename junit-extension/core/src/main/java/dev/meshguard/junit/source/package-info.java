/** Sources of allocations: what a library implements so that tests of its memory are tracked. */
@NullMarked
package dev.meshguard.junit.source;

import org.jspecify.annotations.NullMarked;
