/** Shared code of the samples: the steps of the field's scenarios and the execution of failing fixtures. */
@NullMarked
package dev.meshguard.samples.support;

import org.jspecify.annotations.NullMarked;
