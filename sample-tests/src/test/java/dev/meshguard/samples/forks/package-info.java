/** Tests that start JVMs of their own. */
@NullMarked
package dev.meshguard.samples.forks;

import org.jspecify.annotations.NullMarked;
