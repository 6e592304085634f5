/** Shared code of the samples: the steps of tt-metal's scenarios and the execution of failing fixtures. */
@NullMarked
package dev.meshguard.samples.support;

import org.jspecify.annotations.NullMarked;
