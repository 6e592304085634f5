/** The scenarios of five documents by engineers who searched for leaks on real hardware, with every figure in them. */
@NullMarked
package dev.meshguard.samples.seeds;

import org.jspecify.annotations.NullMarked;
