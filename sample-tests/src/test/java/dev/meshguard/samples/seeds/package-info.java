/** The scenarios of five documents of engineers who hunted leaks on real hardware, with every figure they quote. */
@NullMarked
package dev.meshguard.samples.seeds;

import org.jspecify.annotations.NullMarked;
