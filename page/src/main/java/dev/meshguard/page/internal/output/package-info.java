/** Pages as the output of failed checks, found by test extensions as a service. */
@NullMarked
package dev.meshguard.page.internal.output;

import org.jspecify.annotations.NullMarked;
