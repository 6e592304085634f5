/** The steps of the tutorial. */
@NullMarked
package dev.meshguard.samples.tutorial;

import org.jspecify.annotations.NullMarked;
